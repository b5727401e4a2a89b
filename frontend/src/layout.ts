// Where the nodes of a tree are drawn: level by level, downwards or to the right, whichever fits the pane better.
import { Tree } from "./data";

export const WIDTH = 158; // of a node
const GAP = 14;
const BETWEEN = { down: 44, right: 54 }; // levels: room for the answers

export interface Placed {
  x: number;
  y: number; // the top left corner of each node
}

export interface Layout {
  isDown: boolean;
  width: number;
  height: number;
  places: Placed[];
}

// `heights` are those of the nodes.
export function layoutOf(tree: Tree, heights: number[], isDown: boolean): Layout {
  const levels = tree.depth + 1;
  const tallest = Array.from({ length: levels }, (_, level) =>
    Math.max(...tree.nodes.map((node, i) => (node.depth === level ? heights[i] : 0))),
  );
  const levelStart = tallest.map((_, level) =>
    isDown
      ? tallest.slice(0, level).reduce((total, each) => total + each + BETWEEN.down, 0)
      : level * (WIDTH + BETWEEN.right),
  );
  // Across: leaves one after the other, splits in the middle of their children.
  const middle: number[] = new Array(tree.nodes.length).fill(0);
  let end = 0;
  const place = (i: number): void => {
    const node = tree.nodes[i];
    if (node.yes < 0) {
      const size = isDown ? WIDTH : heights[i];
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
  const along = isDown ? levelStart[last] + tallest[last] : levelStart[last] + WIDTH;
  return spread({
    isDown,
    width: isDown ? end - GAP : along,
    height: isDown ? along : end - GAP,
    places: tree.nodes.map((node, i) =>
      isDown
        ? { x: middle[i] - WIDTH / 2, y: levelStart[node.depth] }
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

export function bestLayout(tree: Tree, heights: number[], width: number, height: number): Layout {
  const layouts = [true, false].map((isDown) => layoutOf(tree, heights, isDown));
  const scale = (layout: Layout) => Math.min(width / layout.width, height / layout.height);
  return scale(layouts[0]) >= 0.95 * scale(layouts[1]) ? layouts[0] : layouts[1];
}
