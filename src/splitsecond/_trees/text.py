"""A tree as text: drawn with lines, and in Graphviz's language."""

from __future__ import annotations

from splitsecond._trees.sizes import TreeTexts, size_text


def to_text(said: TreeTexts) -> str:
    """Draw a tree with lines; see `Tree.to_text`."""
    tree = said.tree
    lines: list[tuple[str, str]] = []
    waiting = [(0, "", "")]  # node, what leads to it, what leads to its children
    while waiting:
        node, lead, below = waiting.pop()
        if tree.feature[node] >= 0:
            question = f"{lead}{tree.literals[int(tree.feature[node])]} ?"
            lines.append((question, size_text(tree, node)))
            waiting.append((int(tree.right[node]), below + "|- no   ", below + "   "))
            waiting.append((int(tree.left[node]), below + "|- yes  ", below + "|  "))
            continue
        lines.append((f"{lead}-> {said.label(node)}", said.leaf(node)))
    width = max(len(text) for text, _ in lines)
    drawn = [f"{text:<{width}}  {numbers}" for text, numbers in lines]
    note = said.note()
    return "\n".join(drawn if note is None else [*drawn, note])


def to_dot(said: TreeTexts) -> str:
    """Write a tree in Graphviz's language."""
    tree, note = said.tree, said.note()
    lines = ["digraph tree {", '  node [shape=box, fontname="sans-serif"];']
    if note is not None:
        lines.append(f'  graph [label={_quoted(note)}, fontname="sans-serif"];')
    for node, column in enumerate(tree.feature):
        if column < 0:
            text = f"{said.label(node)}\n{said.below(node)}"
            lines.append(f"  {node} [label={_quoted(text)}, style=rounded];")
        else:
            text = f"{tree.literals[int(column)]} ?\n{size_text(tree, node)}"
            lines.append(f"  {node} [label={_quoted(text)}];")
            lines.append(f'  {node} -> {tree.left[node]} [label="yes"];')
            lines.append(f'  {node} -> {tree.right[node]} [label="no"];')
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
