// What the table and the scatter plot can show of a tree.
import { data, Tree } from "./data";
import { objectiveText, valueText, whole } from "./text";

export interface Column {
  key: string;
  title: string;
  value: (tree: Tree) => number | null;
  text: (tree: Tree) => string;
  range: string | null; // over all trees of the set
}

export const columns: Column[] = [
  { key: "objective", title: "objective", value: (tree) => tree.objective, text: (tree) => objectiveText(tree.objective), range: null },
  { key: "leaves", title: "leaves", value: (tree) => tree.leaves, text: (tree) => whole(tree.leaves), range: null },
  { key: "depth", title: "depth", value: (tree) => tree.depth, text: (tree) => whole(tree.depth), range: null },
  { key: "measured", title: data.measure, value: (tree) => tree.measured, text: (tree) => valueText(tree.measured), range: null },
  ...data.criteria.map(({ name, values, range }) => ({
    key: name,
    title: `held-out ${name.replaceAll("_", " ").replace("[", " [")}`,
    value: (tree: Tree) => values[tree.number],
    text: (tree: Tree) => valueText(values[tree.number]),
    range: range && `${valueText(range[0])} to ${valueText(range[1])}`,
  })),
];

// Shown at first; others are asked for: a criterion that goes with what was fitted, and the gaps between groups.
const gaps = data.criteria.map((each) => each.name).filter((name) => /^(demographic_parity|equalized_odds)_difference\[/.test(name));
const main = data.measure.endsWith("accuracy") ? "accuracy" : data.criteria[0]?.name;
export const atFirst = ["objective", "leaves", "depth", "measured", main, ...gaps.slice(0, 2)];

export const columnOf = (key: string) => columns.find((column) => column.key === key) ?? columns[0];

// Trees in the order of a column; those without a value come last, equal ones by their number.
export function sorted(trees: Tree[], sort: string): Tree[] {
  const sign = sort.startsWith("-") ? -1 : 1;
  const key = sort.replace(/^-/, "");
  const value = key === "number" ? (tree: Tree) => tree.number : columnOf(key).value;
  return [...trees].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === y) return a.number - b.number;
    if (x === null) return 1;
    if (y === null) return -1;
    return sign * (x - y);
  });
}
