"""Trees and sets as pictures: layout, SVG, matplotlib, notebooks."""
