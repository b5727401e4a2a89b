// Where the nodes of a tree are drawn: level by level, downwards or to the right, or as an outline with a line for each
// node; whichever fits the pane best.
import { Tree } from "./data";

export const INDENT = 52; // of an outline, for each level
const GAP = 14;
const BETWEEN = { down: 44, right: 54 }; // levels: room for the answers

export interface Placed {
  x: number;
  y: number; // the top left corner of each node
}

export type Kind = "down" | "right" | "outline";
export const WIDTHS: Record<Kind, number> = { down: 168, right: 168, outline: 236 }; // of a node

export interface Layout {
  kind: Kind;
  width: number;
  height: number;
  places: Placed[];
}

// `heights` are those of the nodes.
function levelsOf(tree: Tree, heights: number[], isDown: boolean): Layout {
  const own = WIDTHS[isDown ? "down" : "right"];
  const levels = tree.depth + 1;
  const tallest = Array.from({ length: levels }, (_, level) =>
    Math.max(...tree.nodes.map((node, i) => (node.depth === level ? heights[i] : 0))),
  );
  const levelStart = tallest.map((_, level) =>
    isDown
      ? tallest.slice(0, level).reduce((total, each) => total + each + BETWEEN.down, 0)
      : level * (own + BETWEEN.right),
  );
  // Across: leaves one after the other, splits in the middle of their children.
  const middle: number[] = new Array(tree.nodes.length).fill(0);
  let end = 0;
  const place = (i: number): void => {
    const node = tree.nodes[i];
    if (node.yes < 0) {
      const size = isDown ? own : heights[i];
      middle[i] = end + size / 2;
      end += size + GAP;
      return;
    }
    place(node.yes);
    place(node.no);
    middle[i] = (middle[node.yes] + middle[node.no]) / 2;
  };
  place(0);
  const last = levels - 1;
  const along = isDown ? levelStart[last] + tallest[last] : levelStart[last] + own;
  return spread({
    kind: isDown ? "down" : "right",
    width: isDown ? end - GAP : along,
    height: isDown ? along : end - GAP,
    places: tree.nodes.map((node, i) =>
      isDown
        ? { x: middle[i] - own / 2, y: levelStart[node.depth] }
        : { x: levelStart[node.depth], y: middle[i] - heights[i] / 2 },
    ),
  }, heights);
}

// A tall split beside short leaves may stick out: moves everything into the picture.
function spread(layout: Layout, heights: number[]): Layout {
  const top = Math.min(...layout.places.map((place) => place.y));
  const bottom = Math.max(...layout.places.map((place, i) => place.y + heights[i]));
  for (const place of layout.places) place.y -= top;
  return { ...layout, height: bottom - top };
}

function outlineOf(tree: Tree, heights: number[]): Layout {
  let end = 0;
  const places = tree.nodes.map((node, i) => {
    const place = { x: node.depth * INDENT, y: end };
    end += heights[i] + GAP;
    return place;
  });
  return { kind: "outline", width: tree.depth * INDENT + WIDTHS.outline, height: end - GAP, places };
}

export function layoutOf(tree: Tree, heights: number[], kind: Kind): Layout {
  return kind === "outline" ? outlineOf(tree, heights) : levelsOf(tree, heights, kind === "down");
}

const NARROW = 480; // pixels

// Downwards is how people expect trees: another way must be clearly larger, unless there is little room.
export function fit(layout: Layout, width: number, height: number): number {
  const preferred = layout.kind === "down" && width > NARROW ? 1.15 : 1;
  return preferred * Math.min(1, width / layout.width, height / layout.height);
}
