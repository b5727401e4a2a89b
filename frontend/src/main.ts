// Puts the page together. Every change of the state shows the whole page anew; parts that did not change see to it.
import { data } from "./data";
import { at, button, h, put } from "./dom";
import { prepareOverview, showOverview } from "./overview";
import { prepareScatter, showAxes, showScatter } from "./scatter";
import { prepareShortlist, showShortlist } from "./shortlist";
import { prepareTable, showTable } from "./table";
import { forPrint, prepareTree, showTree } from "./treeview";
import { change, matching, onChange, readFragment, state, VIEWS } from "./state";

function showViews(): void {
  for (const view of VIEWS) {
    at(view).classList.toggle("in-view", state.view === view);
    at(`to-${view}`).setAttribute("aria-current", String(state.view === view));
  }
  document.body.dataset.view = state.view;
}

let listed = "";

function show(): void {
  showViews();
  const shown = matching();
  showOverview();
  // The table and the points stay while a note or a case is typed.
  const { picks, uses, avoids, open, shortlist, entered: _, ...rest } = state;
  const key = JSON.stringify([rest, [...picks], [...uses], [...avoids], [...open], [...shortlist.keys()], at("scatter").clientWidth]);
  if (key !== listed) {
    listed = key;
    showTable(shown);
    showAxes();
    showScatter(shown);
  }
  showTree(shown);
  showShortlist();
}

function begin(): void {
  const title = data.name ? `Good trees for ${data.name}` : "Good trees";
  document.title = title;
  put("title", title);
  put("about", data.about);
  put("facts-list", ...data.facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
  put("classes", ...data.classes.map((label, i) => h("span", { class: "class-key" }, h("span", { class: `swatch class-${i % 7}` }), label)));
  at("classes").hidden = data.classes.length === 0;
  put("header-tools", button("Print", () => window.print()));
  prepareOverview();
  prepareScatter();
  prepareTable();
  prepareTree();
  prepareShortlist();
  for (const view of VIEWS) at(`to-${view}`).addEventListener("click", () => change({ view }));
  at("skip").addEventListener("click", () => {
    change({ view: "tree" });
    at("tree").focus();
  });
  readFragment();
  onChange(show);
  show();
  window.addEventListener("hashchange", () => {
    readFragment();
    show();
  });
  window.addEventListener("beforeprint", forPrint);
  forPrint();
  let waiting = 0;
  window.addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(show);
  });
  document.body.dataset.ready = "yes";
}

begin();
