// A case that is typed in, and what trees say of it.
import { countsOf, data, isOfNumbers, LEAF, Question, saidBy, Tree, trees } from "./data";
import { h, options, put } from "./dom";
import { change, state } from "./state";
import { openTree } from "./actions";
import { shareText } from "./drawing";
import { counted, percent, valueText, whole } from "./text";

const MISSING = "missing";

// Whether a value answers yes. Null: it is not known yet, or is no number.
export function answer(question: Question, given: string | undefined): boolean | null {
  if (given === undefined || given === "") return null;
  if (given === MISSING) return question.missing === true;
  if (question.missing) return false;
  if (question.among) return question.among.includes(Number(given));
  const number = Number(given);
  if (Number.isNaN(number)) return null;
  return question.at_most !== undefined ? number <= Number(question.at_most) : number === Number(question.equals);
}

export interface Way {
  nodes: number[];
  answers: boolean[];
  stopped: number | null; // the variable whose value is wanted
}

export function wayOf(tree: Tree, entered: Map<number, string>): Way {
  const way: Way = { nodes: [0], answers: [], stopped: null };
  for (;;) {
    const node = tree.nodes[way.nodes.at(-1)!];
    if (node.question === LEAF) return way;
    const question = data.questions[node.question];
    const said = answer(question, entered.get(question.variable));
    if (said === null) return { ...way, stopped: question.variable };
    way.answers.push(said);
    way.nodes.push(said ? node.yes : node.no);
  }
}

const nameOf = (variable: number) => data.variables[variable].name;

function concerned(): Tree[] {
  const numbers = [state.tree, state.other, ...state.shortlist.keys()];
  return [...new Set(numbers.filter((n): n is number => n !== null))].map((n) => trees[n]).filter(Boolean);
}

function enter(variable: number, value: string): void {
  const entered = new Map(state.entered);
  if (value === "") entered.delete(variable);
  else entered.set(variable, value);
  change({ entered });
}

// 0/1 columns and categories are chosen, numbers are typed.
function field(variable: number): HTMLElement {
  const { name, kind, categories } = data.variables[variable];
  const id = `case-${variable}`;
  const value = state.entered.get(variable) ?? "";
  const label = h("label", { for: id }, name);
  if (kind === "binary" || categories.length) {
    const known: [string, string][] = kind === "binary" ? [["1", "yes (1)"], ["0", "no (0)"]] : categories.map((each, i) => [String(i), each]);
    const entries: [string, string][] = [["", "choose…"], ...known, [MISSING, "(missing)"]];
    const select = h("select", { id, change: (event: Event) => enter(variable, (event.target as HTMLSelectElement).value) }, ...options(entries, value));
    return h("div", { class: "field" }, label, select);
  }
  const input = h("input", { id, type: "text", inputmode: "decimal", autocomplete: "off", placeholder: "a number", value: value === MISSING ? "" : value, disabled: value === MISSING, input: (event: Event) => enter(variable, (event.target as HTMLInputElement).value.trim()) });
  const box = h("input", { type: "checkbox", checked: value === MISSING, change: (event: Event) => enter(variable, (event.target as HTMLInputElement).checked ? MISSING : "") });
  return h("div", { class: "field" }, label, h("span", { class: "typed" }, input, h("label", { class: "missing" }, box, " missing")));
}

function valueOf(variable: number): string {
  const given = state.entered.get(variable)!;
  if (given === MISSING) return "missing";
  return data.variables[variable].categories.length ? data.variables[variable].categories[Number(given)] ?? given : given;
}

function verdict(tree: Tree): HTMLElement {
  const way = wayOf(tree, state.entered);
  const steps = way.answers.map((said, i) => {
    const question = data.questions[tree.nodes[way.nodes[i]].question];
    return h("li", {}, `${said ? question.yes : question.no} `, h("span", { class: "quiet" }, `(${nameOf(question.variable)}: ${valueOf(question.variable)})`));
  });
  const end = tree.nodes[way.nodes.at(-1)!];
  const counts = countsOf(end);
  const says =
    way.stopped !== null
      ? `needs ${nameOf(way.stopped)}`
      : `says ${data.labels[saidBy(end)]}: ${shareText(end, counts.rows ?? counts.weights!, counts.rows ? "training rows" : "training weight")}`;
  return h(
    "li",
    { class: "verdict", "data-tree": tree.number, "data-says": way.stopped === null ? data.labels[saidBy(end)] : null },
    h("button", { type: "button", class: "open", click: () => openTree(tree.number) }, `Tree ${tree.number}`),
    ` ${says}`,
    h("ol", { class: "way" }, ...steps),
  );
}

// How many trees say which label.
function votesText(said: number[]): string {
  const votes = new Map<string, number>();
  for (const place of said) votes.set(data.labels[place], (votes.get(data.labels[place]) ?? 0) + 1);
  return [...votes].sort((a, b) => b[1] - a[1]).map(([label, n]) => `${label}: ${whole(n)} (${percent(n / trees.length)})`).join(", ");
}

// The mean of the numbers that trees say, and how far they are apart.
function spreadText(said: number[]): string {
  const numbers = said.map((place) => data.numbers![place]);
  const mean = numbers.reduce((sum, number) => sum + number / numbers.length, 0);
  return `${counted(numbers.length, "tree")} ${numbers.length === 1 ? "says" : "say"} ${valueText(mean)} on average, from ${valueText(Math.min(...numbers))} to ${valueText(Math.max(...numbers))}`;
}

function vote(): string {
  const said: number[] = [];
  let open = 0;
  for (const tree of trees) {
    const way = wayOf(tree, state.entered);
    if (way.stopped !== null) open += 1;
    else said.push(saidBy(tree.nodes[way.nodes.at(-1)!]));
  }
  const waiting = open ? `${counted(open, "tree")} ${open === 1 ? "needs" : "need"} more values.` : "";
  return `Of the ${whole(trees.length)} trees on this page, ${said.length ? `${isOfNumbers ? spreadText(said) : votesText(said)}.` : "none can say yet."} ${waiting}`;
}

const onPage = data.variables.map((_, variable) => variable).filter((variable) => trees.some((tree) => tree.variables.includes(variable)));

let fields = "";

export function showCase(): void {
  const wanted = [...new Set(concerned().flatMap((tree) => tree.variables))];
  const further = onPage.filter((variable) => !wanted.includes(variable));
  const asked = [...wanted, ...further];
  const missing = asked.map((variable) => state.entered.get(variable) === MISSING);
  const key = JSON.stringify([wanted, missing]);
  if (key !== fields) {
    // Fields stay as they are while someone types.
    fields = key;
    const focused = document.activeElement?.id;
    put("case-fields", ...wanted.map(field));
    put("further-fields", ...further.map(field));
    document.getElementById("further")!.hidden = further.length === 0;
    if (focused?.startsWith("case-")) document.getElementById(focused)?.focus();
  }
  for (const variable of asked) {
    const input = document.getElementById(`case-${variable}`) as HTMLInputElement | HTMLSelectElement;
    const value = state.entered.get(variable) ?? "";
    const wrong = value !== "" && value !== MISSING && input.tagName === "INPUT" && Number.isNaN(Number(value));
    input.setAttribute("aria-invalid", String(wrong));
    if (document.activeElement !== input) input.value = value === MISSING && input.tagName === "INPUT" ? "" : value;
  }
  put("verdicts", ...concerned().map(verdict));
  put("vote", vote());
}
