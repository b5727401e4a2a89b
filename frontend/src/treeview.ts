// The tree that is shown: its picture, next to another one, with a case, or as code.
import { countsOf, data, isOfNumbers, LEAF, saidBy, Tree, trees } from "./data";
import { at, button, copy, download, h, put } from "./dom";
import { atFirst, Column, columns } from "./columns";
import { draw, Marks, shareText, summaryOf } from "./drawing";
import { below, criteriaTable, differenceList, differences } from "./compare";
import { showCase, wayOf } from "./cases";
import { change, state, Tab, TABS } from "./state";
import { openTree, toggleShortlist } from "./actions";
import { toCall, toPython, toSql } from "./code";
import { valueText } from "./text";
import { Pane, zoomable } from "./zoom";

const panes: Record<"tree" | "first" | "second" | "case", Pane> = {
  tree: zoomable("Picture of the tree"),
  first: zoomable("Picture of the first tree"),
  second: zoomable("Picture of the second tree"),
  case: zoomable("Picture of the tree with the way of the case"),
};

function rules(tree: Tree): HTMLElement {
  const lines: HTMLElement[] = [];
  const visit = (place: number, conditions: string[]): void => {
    const node = tree.nodes[place];
    if (node.question === LEAF) {
      const counts = countsOf(node);
      const share = shareText(node, counts.rows ?? counts.weights!, counts.rows ? "training rows" : "training weight");
      const mean = counts.heldOutMean === null ? "" : `, ${data.word} ${valueText(counts.heldOutMean)}`;
      const held = counts.heldOut && (data.held_out_by_class || isOfNumbers) ? `; ${shareText(node, counts.heldOut, "held-out rows")}${mean}` : "";
      lines.push(h("li", {}, conditions.length ? `If ${conditions.join(" and ")}: ` : "Always: ", h("strong", {}, data.labels[saidBy(node)]), ` (${share}${held})`));
      return;
    }
    visit(node.yes, [...conditions, data.questions[node.question].yes]);
    visit(node.no, [...conditions, data.questions[node.question].no]);
  };
  visit(0, []);
  return h("ol", {}, ...lines);
}

function numbersOf(tree: Tree, used: Column[]): HTMLElement {
  return h("dl", { class: "numbers" }, ...used.map((column) => h("div", {}, h("dt", {}, column.title), h("dd", {}, column.text(tree), column.range ? h("span", { class: "range" }, ` in the set ${column.range}`) : null))));
}

const isMain = (column: Column) => atFirst.includes(column.key);

function codeBlock(title: string, text: string | null, file: string | null): HTMLElement {
  if (text === null) return h("section", {}, h("h3", {}, title), h("p", {}, "SQL has no way to write the NUL character of a name or value."));
  const copying = button("Copy", () => copy(text, copying), { "aria-label": `Copy ${title}` });
  const saving = file ? button("Save", () => download(file, "text/plain", text), { "aria-label": `Save ${title}` }) : null;
  return h("section", { class: "code" }, h("h3", {}, title, h("span", { class: "code-tools" }, copying, saving)), h("pre", { tabindex: 0, "data-code": title }, text));
}

const shows: Record<Tab, (tree: Tree) => void> = {
  tree(tree) {
    panes.tree.show((width, height) => draw(tree, width, height));
    put("numbers", numbersOf(tree, columns.filter(isMain)));
    put("more-numbers", numbersOf(tree, columns.filter((column) => !isMain(column))));
    put("rules", rules(tree));
  },
  compare(tree) {
    const other = state.other === null ? null : trees[state.other];
    at("compared").hidden = other === null;
    at("nothing-compared").hidden = other !== null;
    const input = at<HTMLInputElement>("other-number");
    if (document.activeElement !== input) input.value = state.other === null ? "" : String(state.other);
    if (!other) return;
    const found = differences(tree, other);
    const marks = (of: Tree, side: 0 | 1): Marks => ({ different: below(of, found.map((each) => each.places[side])) });
    panes.first.show((width, height) => draw(tree, width, height, marks(tree, 0)));
    panes.second.show((width, height) => draw(other, width, height, marks(other, 1)));
    panes.first.caption.textContent = `Tree ${tree.number}`;
    panes.second.caption.textContent = `Tree ${other.number}`;
    put("differences", differenceList(tree, other));
    put("values-compared", criteriaTable(tree, other));
  },
  case(tree) {
    showCase();
    const path = new Set(wayOf(tree, state.entered).nodes);
    panes.case.show((width, height) => draw(tree, width, height, state.entered.size ? { path } : {}));
  },
  code(tree) {
    put(
      "code",
      codeBlock("Call", toCall(tree), null),
      codeBlock("SQL", toSql(tree), `tree-${tree.number}.sql`),
      codeBlock("Python", toPython(tree), `tree_${tree.number}.py`),
    );
  },
};

let drawn = "";

export function showTree(shown: Tree[]): void {
  const tree = trees[state.tree];
  for (const tab of TABS) {
    const isChosen = tab === state.tab;
    at(`tab-${tab}`).setAttribute("aria-selected", String(isChosen));
    at(`tab-${tab}`).tabIndex = isChosen ? 0 : -1;
    at(`panel-${tab}`).hidden = !isChosen;
  }
  if (!tree) {
    put("tree-title", "There is no tree");
    return;
  }
  put("tree-title", summaryOf(tree));
  const place = shown.indexOf(tree);
  const [previous, next] = [shown[place - 1], place < 0 ? shown[0] : shown[place + 1]];
  const listed = state.shortlist.has(tree.number);
  put(
    "tree-tools",
    button("Previous", () => openTree(previous.number), { id: "previous", disabled: !previous }),
    button("Next", () => openTree(next.number), { id: "next", disabled: !next }),
    button(listed ? "★ On the shortlist" : "☆ Shortlist", () => toggleShortlist(tree.number), { id: "list-it", "aria-pressed": String(listed) }),
  );
  const stage = at(`panel-${state.tab}`);
  const key = JSON.stringify([state.tab, state.tree, state.other, [...state.entered], [...state.shortlist.keys()], stage.clientWidth, stage.clientHeight]);
  if (key === drawn) return;
  drawn = key;
  shows[state.tab](tree);
}

// Print always shows the tree itself.
export function forPrint(): void {
  const tree = trees[state.tree];
  if (!tree) return;
  put("printed", h("h2", {}, summaryOf(tree)), draw(tree, 1000, 620).svg, numbersOf(tree, columns.filter(isMain)), rules(tree));
  const other = state.tab === "compare" && state.other !== null ? trees[state.other] : null;
  if (other) at("printed").append(h("h2", {}, summaryOf(other)), draw(other, 1000, 620).svg, differenceList(tree, other), criteriaTable(tree, other));
}

export function prepareTree(): void {
  at("tree-pane").append(panes.tree.element);
  at("first-pane").append(panes.first.element);
  at("second-pane").append(panes.second.element);
  at("case-pane").append(panes.case.element);
  for (const tab of TABS) at(`tab-${tab}`).addEventListener("click", () => change({ tab }));
  at("tabs").addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const next = TABS[(TABS.indexOf(state.tab) + step + TABS.length) % TABS.length];
    change({ tab: next });
    at(`tab-${next}`).focus();
  });
  at("other-number").addEventListener("change", (event) => {
    const { value } = event.target as HTMLInputElement;
    const number = Number(value);
    const isKnown = value.trim() !== "" && Number.isInteger(number) && number >= 0 && number < trees.length && number !== state.tree;
    change({ other: isKnown ? number : null });
  });
  at("stop-comparing").append(button("Stop comparing", () => change({ other: null, tab: "tree" })));
  at("clear-case").append(button("Clear", () => change({ entered: new Map() })));
  at("more-numbers-details").hidden = columns.every(isMain);
  at<HTMLInputElement>("other-number").max = String(trees.length - 1);
}
