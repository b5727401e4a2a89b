// Trees as points: one criterion against another.
import { Tree, trees } from "./data";
import { at, h, options, put, s } from "./dom";
import { columnOf, columns } from "./columns";
import { change, state } from "./state";
import { openTree } from "./actions";

const HEIGHT = 230;
const LEFT = 54;
const BOTTOM = 36;
const EDGE = 10;

function ticks(low: number, high: number): number[] {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough)!;
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
}

function scale(values: number[], from: number, to: number) {
  let low = Math.min(...values);
  let high = Math.max(...values);
  if (!(high > low)) [low, high] = [low - 0.5, high + 0.5];
  const place = (value: number) => from + ((value - low) / (high - low)) * (to - from);
  return { place, ticks: ticks(low, high) };
}

const tickText = (value: number) => String(Number(value.toPrecision(4)));

function axes(x: ReturnType<typeof scale>, y: ReturnType<typeof scale>, width: number): SVGElement[] {
  const floor = HEIGHT - BOTTOM;
  return [
    ...x.ticks.flatMap((tick) => [
      s("line", { class: "grid", x1: x.place(tick), x2: x.place(tick), y1: EDGE, y2: floor }),
      s("text", { x: x.place(tick), y: floor + 14, "text-anchor": "middle" }, tickText(tick)),
    ]),
    ...y.ticks.flatMap((tick) => [
      s("line", { class: "grid", x1: LEFT, x2: width - EDGE, y1: y.place(tick), y2: y.place(tick) }),
      s("text", { x: LEFT - 6, y: y.place(tick) + 4, "text-anchor": "end" }, tickText(tick)),
    ]),
    s("text", { class: "axis", x: (LEFT + width) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, columnOf(state.x).title),
  ];
}

export function showScatter(shown: Tree[]): void {
  const width = Math.max(260, at("scatter").clientWidth);
  const [ofX, ofY] = [columnOf(state.x), columnOf(state.y)];
  const known = trees.filter((tree) => ofX.value(tree) !== null && ofY.value(tree) !== null);
  if (known.length === 0) {
    put("scatter", h("p", {}, "No tree has both values."));
    return;
  }
  const x = scale(known.map((tree) => ofX.value(tree)!), LEFT + 8, width - EDGE - 8);
  const y = scale(known.map((tree) => ofY.value(tree)!), HEIGHT - BOTTOM - 8, EDGE + 8);
  const isShown = new Set(shown);
  const point = (tree: Tree, kind: string, r: number) =>
    s("circle", { class: kind, cx: x.place(ofX.value(tree)!).toFixed(1), cy: y.place(ofY.value(tree)!).toFixed(1), r });
  const points = [
    ...known.filter((tree) => !isShown.has(tree)).map((tree) => point(tree, "out", 2.5)),
    ...known.filter((tree) => isShown.has(tree)).map((tree) => point(tree, "in", 3.5)),
    ...known.filter((tree) => state.shortlist.has(tree.number)).map((tree) => point(tree, "listed", 5.5)),
    ...known.filter((tree) => tree.number === state.other).map((tree) => point(tree, "other", 6.5)),
    ...known.filter((tree) => tree.number === state.tree).map((tree) => point(tree, "selected", 6.5)),
  ];
  const label = `${isShown.size} trees by ${ofX.title} and ${ofY.title}; the table below says the same`;
  const svg = s("svg", { class: "scatter", role: "img", "aria-label": label, width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}` }, ...axes(x, y, width), ...points);
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const [px, py] = [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * HEIGHT) / box.height];
    let nearest: Tree | null = null;
    let least = 24; // pixels
    for (const tree of known) {
      if (!isShown.has(tree)) continue;
      const distance = Math.hypot(x.place(ofX.value(tree)!) - px, y.place(ofY.value(tree)!) - py);
      if (distance < least) [nearest, least] = [tree, distance];
    }
    if (nearest) openTree(nearest.number);
  });
  put("scatter", svg);
}

export function prepareScatter(): void {
  for (const axis of ["x", "y"] as const)
    at(`axis-${axis}`).addEventListener("change", (event) => change({ [axis]: (event.target as HTMLSelectElement).value }));
}

export function showAxes(): void {
  for (const axis of ["x", "y"] as const)
    put(`axis-${axis}`, ...options(columns.map((column) => [column.key, column.title]), state[axis]));
}
