"""What every room uses: checks of parameters, messages, install lines, and files written whole."""
