// Two trees side by side: where they part.
import { data, LEAF, saidBy, Tree } from "./data";
import { h } from "./dom";
import { columns } from "./columns";
import { questionText } from "./text";

export interface Difference {
  position: string;
  places: [number, number]; // nodes of the two trees
}

// Goes down both trees as long as they ask the same; where they do not, all that is below differs.
export function differences(a: Tree, b: Tree): Difference[] {
  const found: Difference[] = [];
  const visit = (i: number, j: number): void => {
    const [x, y] = [a.nodes[i], b.nodes[j]];
    if (x.question !== y.question || (x.question === LEAF && saidBy(x) !== saidBy(y))) found.push({ position: x.position, places: [i, j] });
    else if (x.question !== LEAF) {
      visit(x.yes, y.yes);
      visit(x.no, y.no);
    }
  };
  visit(0, 0);
  return found;
}

// A node and all below it, which follow it in preorder.
export function below(tree: Tree, places: number[]): Set<number> {
  const marked = new Set<number>();
  for (const place of places)
    tree.nodes.forEach((node, i) => {
      if (node.position.startsWith(tree.nodes[place].position)) marked.add(i);
    });
  return marked;
}

function where(tree: Tree, position: string): string {
  if (position === "r") return "At the root";
  const steps = [...position.slice(1)].map((answer, i) => {
    const node = tree.nodes[tree.at.get(position.slice(0, i + 1))!];
    const question = data.questions[node.question];
    return answer === "y" ? question.yes : question.no;
  });
  return `Where ${steps.join(" and ")}`;
}

function doing(tree: Tree, place: number): string {
  const node = tree.nodes[place];
  return node.question === LEAF ? `says ${data.labels[saidBy(node)]}` : `asks ${questionText(node.question)}`;
}

export function differenceList(a: Tree, b: Tree): HTMLElement {
  const found = differences(a, b);
  if (found.length === 0) return h("p", {}, "Both trees ask and say the same.");
  return h(
    "ul",
    { class: "differences" },
    ...found.map(({ position, places: [i, j] }) =>
      h("li", {}, `${where(a, position)}, tree ${a.number} ${doing(a, i)}, tree ${b.number} ${doing(b, j)}.`),
    ),
  );
}

export function criteriaTable(a: Tree, b: Tree): HTMLElement {
  const rows = columns.map((column) => {
    const [x, y] = [column.value(a), column.value(b)];
    const change = x === null || y === null ? "–" : x === y ? "same" : `${y > x ? "+" : "−"}${Number(Math.abs(y - x).toPrecision(3))}`;
    return h("tr", {}, h("th", { scope: "row" }, column.title), ...[column.text(a), column.text(b), change].map((text) => h("td", { class: "number" }, text)));
  });
  const head = ["", `tree ${a.number}`, `tree ${b.number}`, "difference"].map((text) => (text ? h("th", { scope: "col" }, text) : h("td")));
  return h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows));
}
