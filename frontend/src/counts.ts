// How many trees of the whole set ask what was picked: exactly where the overview tells, otherwise between bounds.
import { data, isWhole, LEAF, nTrees, trees } from "./data";
import { asksPicks } from "./state";

export interface Step {
  place: number;
  question: number;
  nQuestions: number;
  nTrees: bigint;
  minObjective: number;
}

const AT_ROOT = -1;
const below = new Map<number, Step[]>();
data.overview.question.forEach((question, place) => {
  const after = data.overview.after[place];
  if (!below.has(after)) below.set(after, []);
  below.get(after)!.push({
    place,
    question,
    nQuestions: data.overview.n_others[place] ?? 1,
    nTrees: BigInt(data.overview.n_trees[place]),
    minObjective: data.overview.min_objective[place],
  });
});

// What trees ask at the root, or on a side of a step. Null: the page does not know.
export function stepsAfter(step: Step | null, isNo: boolean): Step[] | null {
  if (step === null) return below.get(AT_ROOT) ?? null;
  const [yes, no] = [below.get(2 * step.place), below.get(2 * step.place + 1)];
  if (!yes || !no) return null; // counting may have ended between the two
  return isNo ? no : yes;
}

// The step that a position's pick is, given those above it. Null: it is not in the overview.
export function stepOf(position: string, picks: Map<string, number>): Step | null {
  let step: Step | null = null;
  for (let end = 1; end <= position.length; ++end) {
    const asked = picks.get(position.slice(0, end));
    const found: Step | undefined = stepsAfter(step, position[end - 1] === "n")?.find((each) => each.question === asked);
    if (!found) return null;
    step = found;
  }
  return step;
}

// What may be asked at a position: the steps that are known there.
export function stepsAt(position: string, picks: Map<string, number>): Step[] | null {
  if (position === "r") return stepsAfter(null, false);
  const above = stepOf(position.slice(0, -1), picks);
  return above === null ? null : stepsAfter(above, position.endsWith("n"));
}

export interface Remaining {
  atLeast: bigint;
  atMost: bigint;
  onPage: number;
  best: number | null; // the lowest objective; null: not known
}

const lower = (a: bigint, b: bigint) => (a < b ? a : b);
const higher = (a: bigint, b: bigint) => (a > b ? a : b);

export function remaining(picks: Map<string, number>): Remaining {
  const here = trees.filter((tree) => asksPicks(tree, picks));
  const onPage = here.length;
  if (isWhole || picks.size === 0)
    return { atLeast: isWhole ? BigInt(onPage) : nTrees, atMost: isWhole ? BigInt(onPage) : nTrees, onPage, best: here[0]?.objective ?? data.min_objective };
  // Each path that was picked to its end; trees must contain all of them.
  const ends = [...picks.keys()].filter((each) => ![...picks.keys()].some((other) => other !== each && other.startsWith(each)));
  const known = [...picks.keys()].map((position) => stepOf(position, picks));
  const ofEnds = ends.map((position) => stepOf(position, picks));
  let atMost = nTrees;
  for (const step of known) if (step) atMost = lower(atMost, step.nTrees);
  let atLeast = BigInt(onPage);
  if (ofEnds.every((step) => step !== null)) {
    // Of the trees with the first question, no more can lack a path than all paths are lacked by together.
    const all = stepOf("r", picks)!.nTrees;
    const lacking = ofEnds.reduce((total, step) => total + (all - step!.nTrees), 0n);
    atLeast = higher(atLeast, all - lacking);
  }
  // Trees on the page are the best of the set, so the first of them that fits is the best of all that do.
  const exact = ends.length === 1 && ofEnds[0] ? ofEnds[0].minObjective : null;
  return { atLeast, atMost, onPage, best: here[0]?.objective ?? exact };
}

// Positions at which something can be picked next, in the order of the tree.
export function openPositions(picks: Map<string, number>): string[] {
  const open = new Set(["r"]);
  for (const [position, question] of picks)
    if (question !== LEAF) {
      open.add(`${position}y`);
      open.add(`${position}n`);
    }
  return [...open].sort((a, b) => order(a).localeCompare(order(b)));
}

// Yes comes before no, and a place before what is below it.
const order = (position: string) => position.replaceAll("y", "a").replaceAll("n", "b");
