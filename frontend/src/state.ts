// What is chosen on the page. The fragment of its address holds all of it, so that a link shows the same.
import { data, LEAF, Tree, trees } from "./data";

export type Tab = "tree" | "compare" | "case" | "code";
export type View = "overview" | "trees" | "tree" | "shortlist"; // on a phone, one of them is seen
export const TABS: Tab[] = ["tree", "compare", "case", "code"];
export const VIEWS: View[] = ["overview", "trees", "tree", "shortlist"];

export interface State {
  tree: number;
  other: number | null; // the tree to compare with
  picks: Map<string, number>; // questions (or LEAF) by position
  maxLeaves: number | null;
  maxDepth: number | null;
  uses: Set<number>; // variables
  avoids: Set<number>;
  folded: boolean;
  sort: string; // a column; with a minus in front, decreasing
  x: string;
  y: string;
  page: number;
  open: Set<string>; // shapes whose trees are all listed
  tab: Tab;
  view: View;
  entered: Map<number, string>; // a case: values by variable
  shortlist: Map<number, string>; // notes by tree
}

const names = data.criteria.map((each) => each.name);
const heldOut = data.measure.endsWith("accuracy") && names.includes("accuracy") ? "accuracy" : names[0];

export function first(): State {
  return {
    tree: 0,
    other: null,
    picks: new Map(),
    maxLeaves: null,
    maxDepth: null,
    uses: new Set(),
    avoids: new Set(),
    folded: true,
    sort: "objective",
    x: "objective",
    y: heldOut ?? "leaves",
    page: 0,
    open: new Set(),
    tab: "tree",
    view: "overview",
    entered: new Map(),
    shortlist: new Map(),
  };
}

export const state: State = first();

type Listener = () => void;
const listeners: Listener[] = [];
export const onChange = (listener: Listener) => listeners.push(listener);

export function change(change: Partial<State>): void {
  Object.assign(state, change);
  remember();
  for (const listener of listeners) listener();
}

// Trees that ask what was picked.
export const asksPicks = (tree: Tree, picks: Map<string, number>) =>
  [...picks].every(([position, question]) => {
    const node = tree.at.get(position);
    return node !== undefined && tree.nodes[node].question === question;
  });

const passes = (tree: Tree) =>
  (state.maxLeaves === null || tree.leaves <= state.maxLeaves) &&
  (state.maxDepth === null || tree.depth <= state.maxDepth) &&
  [...state.uses].every((variable) => tree.variables.includes(variable)) &&
  ![...state.avoids].some((variable) => tree.variables.includes(variable)) &&
  asksPicks(tree, state.picks);

export const matching = () => trees.filter(passes);

// Takes a pick back, and all that follow from it.
export function pick(position: string, question: number | null): void {
  const picks = new Map([...state.picks].filter(([each]) => !each.startsWith(position)));
  if (question !== null) picks.set(position, question);
  const kept = trees.find((tree) => asksPicks(tree, picks));
  const current = trees[state.tree];
  change({ picks, page: 0, tree: !current || asksPicks(current, picks) || !kept ? state.tree : kept.number });
}

// ---- the fragment -------------------------------------------------------------------------------

const list = (numbers: Iterable<number>) => [...numbers].join("_");
const numbers = (text: string | null, below: number) =>
  (text ?? "").split("_").filter(Boolean).map(Number).filter((n) => Number.isInteger(n) && n >= 0 && n < below);

export function fragment(): string {
  const out = new URLSearchParams();
  const start = first();
  out.set("tree", String(state.tree));
  if (state.other !== null) out.set("other", String(state.other));
  if (state.picks.size) out.set("asks", [...state.picks].map(([position, question]) => `${position}.${question}`).join("_"));
  if (state.maxLeaves !== null) out.set("leaves", String(state.maxLeaves));
  if (state.maxDepth !== null) out.set("depth", String(state.maxDepth));
  if (state.uses.size) out.set("uses", list(state.uses));
  if (state.avoids.size) out.set("avoids", list(state.avoids));
  for (const key of ["sort", "x", "y", "tab", "view"] as const) if (state[key] !== start[key]) out.set(key, state[key]);
  if (!state.folded) out.set("folded", "no");
  for (const [variable, value] of state.entered) out.set(`case.${variable}`, value);
  for (const [number, note] of state.shortlist) out.set(`short.${number}`, note);
  return `#${out}`;
}

// Notebooks show the page in a frame, which has no address of its own.
const isFramed = window.top !== window.self;

function remember(): void {
  if (isFramed) return;
  try {
    history.replaceState(null, "", fragment());
  } catch {
    // Some viewers of files do not let pages change their address.
  }
}

function readPicks(text: string): Map<string, number> {
  const picks = new Map<string, number>();
  for (const each of text.split("_")) {
    const [position, question] = each.split(".");
    const n = Number(question);
    const above = picks.get(position?.slice(0, -1));
    const follows = position === "r" || (/^r[yn]+$/.test(position ?? "") && above !== undefined && above !== LEAF);
    if (follows && Number.isInteger(n) && n >= LEAF && n < data.questions.length) picks.set(position, n);
  }
  return picks;
}

// Anyone may write a fragment: what makes no sense is left out.
export function readFragment(): void {
  const given = new URLSearchParams(location.hash.slice(1));
  const next = first();
  const number = (key: string, below: number) => numbers(given.get(key), below)[0] ?? null;
  next.tree = number("tree", trees.length) ?? 0;
  next.other = number("other", trees.length);
  next.picks = readPicks(given.get("asks") ?? "");
  next.maxLeaves = number("leaves", 1e9);
  next.maxDepth = number("depth", 1e9);
  next.uses = new Set(numbers(given.get("uses"), data.variables.length));
  next.avoids = new Set(numbers(given.get("avoids"), data.variables.length));
  next.folded = given.get("folded") !== "no";
  const columns = ["number", "objective", "leaves", "depth", "measured", ...data.criteria.map((each) => each.name)];
  const known = (text: string | null) => text !== null && columns.includes(text);
  if (known((given.get("sort") ?? "").replace(/^-/, ""))) next.sort = given.get("sort")!;
  if (known(given.get("x"))) next.x = given.get("x")!;
  if (known(given.get("y"))) next.y = given.get("y")!;
  next.tab = TABS.find((each) => each === given.get("tab")) ?? next.tab;
  next.view = VIEWS.find((each) => each === given.get("view")) ?? next.view;
  for (const [key, value] of given) {
    const found = /^(case|short)\.(\d+)$/.exec(key);
    if (!found) continue;
    const place = Number(found[2]);
    if (found[1] === "case" && place < data.variables.length) next.entered.set(place, value);
    if (found[1] === "short" && place < trees.length) next.shortlist.set(place, value);
  }
  Object.assign(state, next);
}
