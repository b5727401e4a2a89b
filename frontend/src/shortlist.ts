// Trees that someone wants to keep, with notes.
import { data, trees } from "./data";
import { at, button, copy, download, h, put } from "./dom";
import { columns } from "./columns";
import { thumbnail } from "./drawing";
import { change, state } from "./state";
import { compareWith, openTree, toggleShortlist } from "./actions";
import { toCall, toSql } from "./code";
import { leavesText, objectiveText } from "./text";

export function shortlistData(): unknown {
  return {
    set: { name: data.name, about: data.about, n_trees: data.n_trees, facts: Object.fromEntries(data.facts) },
    trees: [...state.shortlist].map(([number, note]) => {
      const tree = trees[number];
      return {
        number,
        call: toCall(tree),
        note,
        ...Object.fromEntries(columns.map((column) => [column.key, column.value(tree)])),
        variables: tree.variables.map((variable) => data.variables[variable].name),
        sql: toSql(tree),
      };
    }),
  };
}

function item(number: number, note: string): HTMLLIElement {
  const tree = trees[number];
  const area = h("textarea", { id: `note-${number}`, rows: 1, "aria-label": `Note on tree ${number}`, placeholder: "Why this tree?", input: (event: Event) => {
    const text = (event.target as HTMLTextAreaElement).value;
    printed.textContent = text;
    change({ shortlist: new Map(state.shortlist).set(number, text) });
  } });
  area.value = note;
  const printed = h("p", { class: "print-only note" }, note);
  return h(
    "li",
    { class: "listed", "data-tree": number },
    h(
      "div",
      { class: "listed-head" },
      thumbnail(tree),
      button(`Tree ${number}`, () => openTree(number), { class: "open" }),
      h("span", { class: "quiet" }, `objective ${objectiveText(tree.objective)}, ${leavesText(tree.leaves)}`),
      h(
        "span",
        { class: "row-tools no-print" },
        button("⇄", () => compareWith(number), { "aria-label": `Compare tree ${number} with the one shown`, disabled: number === state.tree }),
        button("✕", () => toggleShortlist(number), { "aria-label": `Take tree ${number} off the shortlist` }),
      ),
    ),
    area,
    printed,
  );
}

let before = "";

export function showShortlist(): void {
  const numbers = [...state.shortlist.keys()];
  const key = JSON.stringify([numbers, state.tree]);
  if (key !== before) {
    // Notes stay as they are while someone types.
    before = key;
    put("listed", ...numbers.map((number) => item(number, state.shortlist.get(number)!)));
    at("nothing-listed").hidden = numbers.length > 0;
    at("listed-tools").hidden = numbers.length === 0;
  }
  for (const count of document.querySelectorAll(".listed-count")) count.textContent = numbers.length ? ` (${numbers.length})` : "";
}

export function prepareShortlist(): void {
  const link = button("Copy link", () => copy(location.href, link));
  put(
    "listed-tools",
    button("Save as JSON", () => download("shortlist.json", "application/json", JSON.stringify(shortlistData(), null, 2))),
    link,
  );
}
