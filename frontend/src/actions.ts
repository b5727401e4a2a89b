// What several parts of the page let users do with a tree.
import { announce } from "./dom";
import { change, state } from "./state";

export function openTree(number: number): void {
  change({ tree: number, view: "tree", tab: state.tab === "code" || state.tab === "case" ? state.tab : state.other === null ? "tree" : state.tab });
  announce(`Tree ${number} is shown`);
}

export function compareWith(number: number): void {
  if (number === state.tree) return;
  change({ other: number, tab: "compare", view: "tree" });
  announce(`Trees ${state.tree} and ${number} are compared`);
}

export function toggleShortlist(number: number): void {
  const shortlist = new Map(state.shortlist);
  if (!shortlist.delete(number)) shortlist.set(number, "");
  change({ shortlist });
  announce(shortlist.has(number) ? `Tree ${number} is on the shortlist` : `Tree ${number} was taken off the shortlist`);
}
