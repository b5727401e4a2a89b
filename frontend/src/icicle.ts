// The overview as a picture: a column for each level, heights by numbers of trees of the whole set.
import { data, LEAF, nTrees, OTHERS } from "./data";
import { s } from "./dom";
import { Step, stepOf, stepsAfter } from "./counts";
import { pick, state } from "./state";
import { count, counted, fitted, objectiveText, percent, questionText, shareOf, widthOf } from "./text";

const HEIGHT = 300;
const SMALLEST = 1.2; // pixels; smaller cells are left out
const FONT = "400 11.5px";

interface Cell {
  step: Step;
  position: string;
  path: [string, number][]; // what is picked when it is clicked
  top: number;
  height: number;
}

function cellsOf(steps: Step[], position: string, path: [string, number][], top: number, height: number): Cell[] {
  const all = steps.reduce((total, step) => total + step.nTrees, 0n);
  const cells: Cell[] = [];
  for (const step of steps) {
    const own = height * shareOf(step.nTrees, all);
    cells.push({ step, position, path: [...path, [position, step.question]], top, height: own });
    top += own;
  }
  return cells;
}

// Both answers get half of a question's height, whatever their numbers: every tree has both.
function cellsBelow(cell: Cell): Cell[] {
  if (cell.step.question < 0) return [];
  return [false, true].flatMap((isNo) => {
    const steps = stepsAfter(cell.step, isNo);
    const half = cell.height / 2;
    return steps ? cellsOf(steps, cell.position + (isNo ? "n" : "y"), cell.path, cell.top + (isNo ? half : 0), half) : [];
  });
}

export function labelOf(step: Step): string {
  if (step.question === LEAF) return "leaf";
  if (step.question === OTHERS) return `${step.nQuestions} other question${step.nQuestions === 1 ? "" : "s"}`;
  return questionText(step.question);
}

// Better trees are darker.
function shade(step: Step): number {
  const best = data.min_objective ?? 0;
  const span = data.bound - best;
  const worse = span > 0 ? Math.min(1, Math.max(0, (step.minObjective - best) / span)) : 0;
  return 0.62 - 0.5 * worse;
}

function drawn(cell: Cell, left: number, width: number): SVGGElement {
  const { step, position } = cell;
  const side = position === "r" ? "" : position.endsWith("y") ? "yes: " : "no: ";
  const room = width - 14;
  const share = percent(shareOf(step.nTrees, nTrees));
  const label = `${side}${labelOf(step)}`;
  const kind = step.question === LEAF ? "leaf" : step.question === OTHERS ? "others" : "question";
  const chosen = cell.path.every(([each, question]) => state.picks.get(each) === question);
  const group = s(
    "g",
    { class: `cell ${kind}${chosen ? " chosen" : ""}${cell.height < 6 ? " thin" : ""}`, "data-step": step.place },
    s("title", {}, `${label}\n${counted(step.nTrees, "tree")} (${share}), best objective ${objectiveText(step.minObjective)}`),
    s("rect", {
      x: left + 1,
      y: cell.top + 0.5,
      width: width - 2,
      height: Math.max(0.7, cell.height - 1),
      rx: cell.height > 8 ? 2 : 0,
      "fill-opacity": kind === "question" ? shade(step).toFixed(3) : null,
    }),
  );
  if (cell.height >= 13) {
    const both = `${label}  ${share}`;
    const text = widthOf(both, FONT) <= room ? both : fitted(label, room, FONT);
    group.append(s("text", { x: left + 7, y: cell.top + Math.min(cell.height / 2, 14) + 4 }, text));
  }
  if (step.question !== OTHERS)
    group.addEventListener("click", () => {
      for (const [each, question] of cell.path) if (state.picks.get(each) !== question) pick(each, question);
    });
  return group;
}

// Once a first question is picked, the picture is of its trees.
export function icicle(width: number): SVGSVGElement {
  const root = state.picks.size ? stepOf("r", state.picks) : null;
  const first: Cell[] = root
    ? [{ step: root, position: "r", path: [["r", root.question]], top: 0, height: HEIGHT }]
    : cellsOf(stepsAfter(null, false) ?? [], "r", [], 0, HEIGHT);
  const levels = [first];
  while (levels.length < 3) levels.push(levels.at(-1)!.filter((cell) => cell.height >= 2 * SMALLEST).flatMap(cellsBelow));
  const filled = levels.filter((cells) => cells.length > 0);
  const column = width / Math.max(1, filled.length);
  const groups = filled.flatMap((cells, level) =>
    cells.filter((cell) => cell.height >= SMALLEST).map((cell) => drawn(cell, level * column, column)),
  );
  const about = `What ${root ? count(root.nTrees) : `all ${count(nTrees)}`} trees ask first, second and third`;
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", class: "icicle", "aria-label": `${about}; the lists below say the same` },
    ...groups,
  );
}
