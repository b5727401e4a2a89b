// What the trees of the whole set ask, and choosing split by split what the tree should ask.
import { data, isWhole, LEAF, nTrees, OTHERS, trees } from "./data";
import { at, button, h, options, put } from "./dom";
import { openPositions, remaining, Remaining, Step, stepsAt } from "./counts";
import { icicle, labelOf } from "./icicle";
import { asksPicks, pick, state } from "./state";
import { count, counted, objectiveText, percent, questionText, shareOf, whole } from "./text";

function nameOf(position: string): string {
  if (position === "r") return "First question";
  const answers = [...position.slice(1)].map((each) => (each === "y" ? "yes" : "no"));
  return `If ${answers.join(", then ")}`;
}

function countText(left: Remaining): string {
  if (left.atLeast === left.atMost) return `${counted(left.atLeast, "tree")}`;
  const low = left.atLeast > 0n ? `at least ${count(left.atLeast)} and ` : "";
  return `${low}at most ${counted(left.atMost, "tree")}`;
}

export function summary(left: Remaining): string[] {
  const isExact = left.atLeast === left.atMost;
  const of = state.picks.size ? ` of ${count(nTrees)}` : " in the set";
  const share = isExact && state.picks.size ? ` (${percent(shareOf(left.atLeast, nTrees))})` : "";
  const lines = [`${countText(left)}${of}${share}.`];
  if (!isExact) lines.push("The page knows exact numbers for one path of up to three questions; for this combination only these bounds.");
  if (left.best !== null) lines.push(`Best objective ${objectiveText(left.best)}.`);
  else if (!isExact || left.atMost > 0n) lines.push("The best objective among them is not known here: none of them is on this page.");
  if (!isWhole && !state.picks.size) lines.push(`The best ${whole(trees.length)} are on this page.`);
  else if (!isWhole)
    lines.push(
      left.onPage
        ? `${whole(left.onPage)} of the ${whole(trees.length)} trees on this page.`
        : `None of the ${whole(trees.length)} trees on this page, which are the best of the set.`,
    );
  return lines;
}

// The call that gives these trees in Python, where there is one.
function call(): string | null {
  const first = state.picks.get("r");
  if (state.picks.size !== 1 || first === undefined || first === LEAF) return null;
  return `trees.filter(root=${JSON.stringify(questionText(first))})`;
}

function entriesFromSteps(steps: Step[], isAlone: boolean): [string, string, boolean?][] {
  return steps.map((step) => {
    const n = `${isAlone ? "" : "at most "}${counted(step.nTrees, "tree")}`;
    const text = `${step.question === LEAF ? "no question: a leaf" : labelOf(step)} · ${n} · best ${objectiveText(step.minObjective)}`;
    return step.question === OTHERS ? [String(OTHERS), `${labelOf(step)}, not listed · ${n}`, true] : [String(step.question), text];
  });
}

// Where the overview ends, what the trees on the page ask.
function entriesFromPage(position: string): [string, string, boolean?][] {
  const above = new Map([...state.picks].filter(([each]) => !each.startsWith(position)));
  const found = new Map<number, number>();
  for (const tree of trees) {
    const node = tree.at.get(position);
    if (node === undefined || !asksPicks(tree, above)) continue;
    const question = tree.nodes[node].question;
    found.set(question, (found.get(question) ?? 0) + 1);
  }
  return [...found]
    .sort((a, b) => b[1] - a[1])
    .map(([question, n]) => [
      String(question),
      `${question === LEAF ? "no question: a leaf" : questionText(question)} · ${isWhole ? counted(n, "tree") : `${whole(n)} on this page`}`,
    ]);
}

function chooser(position: string): HTMLLIElement {
  const steps = stepsAt(position, state.picks);
  const others = [...state.picks.keys()].filter((each) => !each.startsWith(position) && !position.startsWith(each));
  const known = steps ? entriesFromSteps(steps, others.length === 0) : entriesFromPage(position);
  const chosen = state.picks.get(position);
  if (chosen !== undefined && !known.some(([value]) => value === String(chosen))) known.push([String(chosen), questionText(chosen)]);
  const id = `ask-${position}`;
  const select = h(
    "select",
    { id, change: (event: Event) => {
      const value = (event.target as HTMLSelectElement).value;
      pick(position, value === "" ? null : Number(value));
    } },
    ...options([["", steps || known.length ? `anything (${known.length} to choose from)` : "anything"], ...known], chosen === undefined ? "" : String(chosen)),
  );
  return h("li", { style: `--level: ${position.length - 1}` }, h("label", { for: id }, nameOf(position)), select);
}

let before = "";

export function showOverview(): void {
  const picture = at("icicle");
  const width = Math.max(280, picture.clientWidth);
  const key = JSON.stringify([[...state.picks], width]);
  if (key === before) return;
  before = key;
  const left = remaining(state.picks);
  const [headline, ...rest] = summary(left);
  put("remaining", h("strong", {}, headline), ` ${rest.join(" ")}`);
  const python = call();
  put("remaining-call", python ? h("span", {}, "In Python: ", h("code", {}, python)) : null);
  const isKnown = data.overview.question.length > 0;
  put("icicle", isKnown ? icicle(width) : h("p", {}, "The set is too large for an overview in the time there is."));
  const focused = document.activeElement?.id;
  put("choosers", ...openPositions(state.picks).map(chooser));
  if (focused?.startsWith("ask-")) at(focused)?.focus();
  at("start-over").hidden = state.picks.size === 0;
}

export function prepareOverview(): void {
  at("start-over").append(button("Start over", () => pick("r", null)));
}
