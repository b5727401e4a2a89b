// The trees on the page as a table: sorted, filtered, with trees of the same variables and shape folded.
import { data, isWhole, nTrees, Tree, trees, treesOfShape } from "./data";
import { at, button, h, options, put } from "./dom";
import { atFirst, Column, columns, sorted } from "./columns";
import { thumbnail } from "./drawing";
import { change, first, matching, state } from "./state";
import { compareWith, openTree, toggleShortlist } from "./actions";
import { count, percent, shareOf, whole } from "./text";

const PER_PAGE = 15;

const shownColumns = new Set(atFirst);

// ---- filters --------------------------------------------------------------------------------------

const distinct = (numbers: number[]) => [...new Set(numbers)].sort((a, b) => a - b);

function limit(id: string, key: "maxLeaves" | "maxDepth", numbers: number[]): void {
  const chosen = state[key] === null ? "" : String(state[key]);
  put(id, ...options([["", "any"], ...distinct(numbers).map((n): [string, string] => [String(n), `at most ${n}`])], chosen));
}

function wish(variable: number): string {
  return state.uses.has(variable) ? "uses" : state.avoids.has(variable) ? "avoids" : "";
}

function showVariables(): void {
  const onPage = (variable: number) => trees.filter((tree) => tree.variables.includes(variable)).length;
  const used = data.variables.map((_, variable) => variable);
  const weight = (variable: number) => Number(data.usage[variable] ?? 0) || onPage(variable);
  used.sort((a, b) => weight(b) - weight(a));
  const rows = used.map((variable) => {
    const { name } = data.variables[variable];
    const all = data.usage[variable];
    const n = all === null ? null : BigInt(all);
    const text = n === null ? "not counted" : `${percent(shareOf(n, nTrees))}`;
    const select = h(
      "select",
      { "aria-label": `Trees that ask about ${name}`, "data-variable": variable, change: (event: Event) => choose(variable, (event.target as HTMLSelectElement).value) },
      ...options([["", "any"], ["uses", "with"], ["avoids", "without"]], wish(variable)),
    );
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td", { title: n === null ? "It would have taken too long" : `${count(n)} trees of the set` }, text),
      h("td", {}, isWhole ? "" : percent(onPage(variable) / trees.length)),
      h("td", {}, select),
    );
  });
  put("variables", ...rows);
}

function choose(variable: number, value: string): void {
  const uses = new Set(state.uses);
  const avoids = new Set(state.avoids);
  uses.delete(variable);
  avoids.delete(variable);
  if (value === "uses") uses.add(variable);
  if (value === "avoids") avoids.add(variable);
  change({ uses, avoids, page: 0 });
}

// ---- the table ------------------------------------------------------------------------------------

interface Group {
  best: Tree;
  alike: Tree[];
}

function grouped(shown: Tree[]): Group[] {
  const groups = new Map<string, Group>();
  for (const tree of shown) {
    const key = state.folded ? tree.shape : String(tree.number);
    const group = groups.get(key);
    if (group) group.alike.push(tree);
    else groups.set(key, { best: tree, alike: [] });
  }
  return [...groups.values()];
}

function header(key: string, title: string): HTMLElement {
  const current = state.sort.replace(/^-/, "") === key;
  const isDown = current && state.sort.startsWith("-");
  const next = current && !isDown ? `-${key}` : key;
  return h(
    "th",
    { scope: "col", "aria-sort": current ? (isDown ? "descending" : "ascending") : null },
    button(title, () => change({ sort: next, page: 0 }), { class: "sort" }),
  );
}

const names = (tree: Tree) => tree.variables.map((variable) => data.variables[variable].name).join(", ");

function row(tree: Tree, used: Column[], more: Node | string | null, isAlike: boolean): HTMLTableRowElement {
  const isSelected = tree.number === state.tree;
  const listed = state.shortlist.has(tree.number);
  return h(
    "tr",
    { class: `${isSelected ? "selected" : ""}${isAlike ? " alike" : ""}`, "data-tree": tree.number, click: (event: MouseEvent) => {
      if (!(event.target as Element).closest("button")) openTree(tree.number);
    } },
    h("td", {}, thumbnail(tree)),
    h("th", { scope: "row" }, button(`Tree ${tree.number}`, () => openTree(tree.number), { class: "open", "aria-current": isSelected ? "true" : null })),
    h(
      "td",
      { class: "row-tools" },
      button(listed ? "★" : "☆", () => toggleShortlist(tree.number), { "aria-pressed": String(listed), "aria-label": `Shortlist tree ${tree.number}` }),
      button("⇄", () => compareWith(tree.number), { "aria-label": `Compare tree ${tree.number} with the one shown`, disabled: isSelected }),
    ),
    ...used.map((column) => h("td", { class: "number" }, column.text(tree))),
    h("td", { class: "alike-cell" }, more),
    h("td", { class: "names" }, names(tree) || "none"),
  );
}

function alikeCell(group: Group): Node | string {
  const shape = group.best.shape;
  const all = treesOfShape.get(shape);
  const inAll = all === undefined || isWhole ? "" : ` (${count(all)} in the set)`;
  if (group.alike.length === 0) return inAll ? `none here${inAll}` : "–";
  const isOpen = state.open.has(shape);
  const toggle = () => {
    const open = new Set(state.open);
    if (!open.delete(shape)) open.add(shape);
    change({ open });
  };
  return h("span", {}, button(`${isOpen ? "▾" : "▸"} ${whole(group.alike.length)} more`, toggle, { class: "fold", "aria-expanded": String(isOpen) }), inAll);
}

function showRows(shown: Tree[]): void {
  const used = columns.filter((column) => shownColumns.has(column.key));
  const groups = grouped(sorted(shown, state.sort));
  const pages = Math.max(1, Math.ceil(groups.length / PER_PAGE));
  const page = Math.min(state.page, pages - 1);
  const here = groups.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  put(
    "head-row",
    h("th", { scope: "col" }, "shape"),
    header("number", "tree"),
    h("th", { scope: "col" }, h("span", { class: "sr-only" }, "shortlist and compare")),
    ...used.map((column) => header(column.key, column.title)),
    h("th", { scope: "col" }, state.folded ? "alike" : h("span", { class: "sr-only" }, "alike")),
    h("th", { scope: "col" }, "variables"),
  );
  put(
    "rows",
    ...here.flatMap((group) => [
      row(group.best, used, state.folded ? alikeCell(group) : null, false),
      ...(state.folded && state.open.has(group.best.shape) ? group.alike.map((tree) => row(tree, used, null, true)) : []),
    ]),
  );
  const what = state.folded ? "group" : "tree";
  const from = groups.length ? page * PER_PAGE + 1 : 0;
  put(
    "pager",
    button("Previous", () => change({ page: page - 1 }), { disabled: page === 0 }),
    h("span", {}, `${what}s ${whole(from)} to ${whole(Math.min(groups.length, (page + 1) * PER_PAGE))} of ${whole(groups.length)}`),
    button("Next", () => change({ page: page + 1 }), { disabled: page >= pages - 1 }),
  );
}

export function showTable(shown: Tree[]): void {
  limit("max-leaves", "maxLeaves", trees.map((tree) => tree.leaves));
  limit("max-depth", "maxDepth", trees.map((tree) => tree.depth));
  at<HTMLInputElement>("folded").checked = state.folded;
  const focused = document.activeElement instanceof HTMLElement ? describe(document.activeElement) : null;
  showVariables();
  showRows(shown);
  focused?.();
  const isFiltered = shown.length < trees.length;
  const some = `${whole(trees.length)} trees ${isWhole ? "of the set" : "on this page"}`;
  put("matches", isFiltered ? `${whole(shown.length)} of the ${some} match.` : `All ${some}${isWhole ? "" : `, the best of ${count(nTrees)}`}.`);
  if (shown.length === 0)
    put("matches", `No tree on this page matches${isWhole ? "" : "; trees that are not on it may"}. `, button("Remove the filters", clear));
  at("clear").hidden = !isFiltered || shown.length === 0;
}

// Finds a control again after the table was made anew.
function describe(element: HTMLElement): (() => void) | null {
  if (!at("trees").contains(element)) return null;
  const tree = element.closest<HTMLElement>("[data-tree]")?.dataset.tree;
  const variable = element.dataset.variable;
  const label = element.getAttribute("aria-label") ?? element.textContent;
  return () => {
    if (variable !== undefined) at("variables").querySelector<HTMLElement>(`[data-variable="${variable}"]`)?.focus();
    else {
      const where = tree === undefined ? at("trees") : at("rows").querySelector(`[data-tree="${tree}"]`);
      const same = [...(where?.querySelectorAll<HTMLElement>("button") ?? [])].find((each) =>
        element.classList.contains("fold") ? each.classList.contains("fold") : (each.getAttribute("aria-label") ?? each.textContent) === label,
      );
      same?.focus();
    }
  };
}

function clear(): void {
  const { maxLeaves, maxDepth, uses, avoids, picks } = first();
  change({ maxLeaves, maxDepth, uses, avoids, picks, page: 0 });
}

export function prepareTable(): void {
  const number = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    return value === "" ? null : Number(value);
  };
  at("max-leaves").addEventListener("change", (event) => change({ maxLeaves: number(event), page: 0 }));
  at("max-depth").addEventListener("change", (event) => change({ maxDepth: number(event), page: 0 }));
  at("folded").addEventListener("change", (event) => change({ folded: (event.target as HTMLInputElement).checked, page: 0 }));
  at("clear").append(button("Remove the filters", clear));
  const boxes = columns.map((column) =>
    h(
      "label",
      {},
      h("input", { type: "checkbox", checked: shownColumns.has(column.key), change: (event: Event) => {
        if ((event.target as HTMLInputElement).checked) shownColumns.add(column.key);
        else shownColumns.delete(column.key);
        showRows(matching());
      } }),
      ` ${column.title}`,
    ),
  );
  put("columns", ...boxes);
  // Arrows go from tree to tree.
  at("rows").addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const opens = [...at("rows").querySelectorAll<HTMLElement>("button.open")];
    const place = opens.indexOf(document.activeElement as HTMLElement);
    const next = opens[place + (event.key === "ArrowDown" ? 1 : -1)];
    if (place < 0 || !next) return;
    event.preventDefault();
    next.focus();
  });
}
