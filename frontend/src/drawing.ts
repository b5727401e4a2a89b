// A tree as a picture, drawn from its arrays.
import { Counts, countsOf, data, isOfNumbers, LEAF, saidBy, sum, Tree, TreeNode } from "./data";
import { s } from "./dom";
import { fit, INDENT, Kind, Layout, layoutOf, WIDTHS } from "./layout";
import { fitted, leavesText, percent, shortened, whole, wrapped, valueText } from "./text";

const LINE = 15;
const PADDING = 8;
const BAR = 9;
const BOLD = "600 12.5px";
const SMALL = "400 11.5px";

export interface Marks {
  path?: Set<number>; // nodes that a case goes through
  different?: Set<number>; // nodes that another tree does not have
}

interface Line {
  text: string;
  kind: string;
}

interface Bar {
  counts: number[];
  kind: string;
}

export const probability = (share: number) =>
  share > 0 && share < 0.0005 ? "<0.001" : share < 1 && share >= 0.9995 ? ">0.999" : share.toFixed(3);

// The class whose share a node says: what it predicts, or where trees say probabilities, the second of two.
function subject(node: TreeNode, counts: number[]): number {
  if (!data.is_probability) return saidBy(node);
  return counts.length === 2 ? 1 : counts.indexOf(Math.max(...counts));
}

export function shareText(node: TreeNode, counts: number[], rows: string): string {
  const all = sum(counts);
  if (all === 0) return `no ${rows}`;
  if (isOfNumbers) return `${whole(all)} ${rows}`;
  if (data.is_probability) {
    const of = subject(node, counts);
    return `p(${shortened(data.classes[of], 10)}) ${probability(counts[of] / all)} of ${whole(all)} ${rows}`;
  }
  return `${percent(counts[subject(node, counts)] / all)} of ${whole(all)} ${rows}`;
}

// Held-out rows at a node: with the share of a class or the mean of their numbers, where these are known.
function heldOutLine(node: TreeNode, counts: Counts): string {
  const all = sum(counts.heldOut!);
  const rows = "held out";
  if (counts.heldOutMean !== null) return `held out: ${valueText(counts.heldOutMean)} (${whole(all)})`;
  return node.question === LEAF && data.held_out_by_class && !isAction ? shareText(node, counts.heldOut!, rows) : `${whole(all)} ${rows}`;
}

const isAction = data.labels.join("\n") !== data.classes.join("\n");

function linesOf(node: TreeNode, counts: Counts, width: number): Line[] {
  const room = width - 2 * PADDING;
  const lines: Line[] = [];
  const rows = counts.rows ?? counts.weights!;
  const noun = counts.rows ? "rows" : "weight";
  if (node.question === LEAF) {
    for (const text of wrapped(data.labels[saidBy(node)], room - 15, BOLD, 2)) lines.push({ text, kind: "says" });
    const says = isAction ? `${whole(sum(rows))} ${noun}` : shareText(node, rows, noun);
    lines.push({ text: says, kind: "training" });
  } else {
    for (const text of wrapped(data.questions[node.question].yes, room, BOLD, 3)) lines.push({ text, kind: "asks" });
    lines.push({ text: `${whole(sum(rows))} ${noun}`, kind: "training" });
  }
  if (counts.heldOut) lines.push({ text: heldOutLine(node, counts), kind: "held-out" });
  return lines.map((line) => (line.kind === "asks" || line.kind === "says" ? line : { ...line, text: fitted(line.text, room, SMALL) }));
}

function barsOf(counts: Counts): Bar[] {
  if (isOfNumbers) return [];
  const bars = [{ counts: counts.rows ?? counts.weights!, kind: "training" }];
  if (counts.heldOut && data.held_out_by_class) bars.push({ counts: counts.heldOut, kind: "held-out" });
  return bars;
}

const heightOf = (lines: Line[], bars: Bar[]) => 2 * PADDING + lines.length * LINE + bars.length * (BAR + 3) + 2;

function drawBar(bar: Bar, y: number, ofNode: number): SVGElement[] {
  const all = sum(bar.counts);
  const width = ofNode - 2 * PADDING;
  let x = PADDING;
  const parts: SVGElement[] = [s("rect", { x, y, width, height: BAR, class: "bar-back" })];
  bar.counts.forEach((n, label) => {
    if (n === 0) return;
    const own = (width * n) / all;
    parts.push(s("rect", { x, y, width: own, height: BAR, class: `class-${label % 7} ${bar.kind}` }));
    x += own;
  });
  return parts;
}

// The colour of what a leaf says: that of a class, or the stronger, the higher the number.
function markOf(node: TreeNode, kind = ""): Record<string, string> {
  if (!isOfNumbers) return { class: `class-${saidBy(node) % 7} ${kind}`.trim() };
  const place = data.labels.length > 1 ? saidBy(node) / (data.labels.length - 1) : 1;
  return { class: `class-0 ${kind}`.trim(), "fill-opacity": (0.15 + 0.85 * place).toFixed(2) };
}

function titleOf(node: TreeNode, counts: Counts): string {
  const lines = [node.question === LEAF ? `Says ${data.labels[saidBy(node)]}` : data.questions[node.question].yes];
  if (isOfNumbers && node.question !== LEAF) lines.push(`${data.word}: ${data.labels[saidBy(node)]}`);
  const add = (what: string, numbers: number[] | null) => {
    if (!numbers) return;
    const named = numbers.length === data.classes.length ? numbers.map((n, i) => `${data.classes[i]}: ${whole(n)}`).join(", ") : whole(numbers[0]);
    lines.push(`${what}: ${named}`);
  };
  add("training rows", counts.rows);
  add("training weight", counts.weights);
  add("held-out rows", counts.heldOut);
  if (counts.heldOutMean !== null) lines.push(`held-out ${data.word}: ${valueText(counts.heldOutMean)}`);
  return lines.join("\n");
}

function drawNode(node: TreeNode, i: number, layout: Layout, lines: Line[], bars: Bar[], marks: Marks): SVGGElement {
  const { x, y } = layout.places[i];
  const width = WIDTHS[layout.kind];
  const height = heightOf(lines, bars);
  const isLeaf = node.question === LEAF;
  const classes = ["node", isLeaf ? "is-leaf" : "is-split"];
  if (marks.path?.has(i)) classes.push("on-path");
  if (marks.different?.has(i)) classes.push("is-different");
  const group = s(
    "g",
    { class: classes.join(" "), transform: `translate(${x} ${y})` },
    s("title", {}, titleOf(node, countsOf(node))),
    s("rect", { class: "box", width, height, rx: isLeaf ? 10 : 3 }),
  );
  if (isLeaf) group.append(s("rect", { ...markOf(node, "says-mark"), x: PADDING, y: PADDING + 2, width: 10, height: 10, rx: 2 }));
  lines.forEach((line, row) => {
    const left = line.kind === "says" ? PADDING + 15 : PADDING;
    group.append(s("text", { class: line.kind, x: left, y: PADDING + 11 + row * LINE }, line.text));
  });
  bars.forEach((bar, row) => group.append(...drawBar(bar, PADDING + lines.length * LINE + 3 + row * (BAR + 3), width)));
  return group;
}

function drawEdge(layout: Layout, from: number, to: number, heights: number[], isYes: boolean, marks: Marks): SVGGElement {
  const a = layout.places[from];
  const b = layout.places[to];
  const onPath = marks.path?.has(from) && marks.path.has(to);
  const kind = `edge${onPath ? " on-path" : ""}`;
  if (layout.kind === "outline") {
    const [x, y] = [a.x + INDENT / 2, b.y + heights[to] / 2];
    return s(
      "g",
      { class: kind },
      s("path", { d: `M${x} ${a.y + heights[from]}V${y}H${b.x}` }),
      s("text", { x: x + 5, y: y - 4 }, isYes ? "yes" : "no"),
    );
  }
  const isDown = layout.kind === "down";
  const width = WIDTHS[layout.kind];
  const [x1, y1, x2, y2] = isDown
    ? [a.x + width / 2, a.y + heights[from], b.x + width / 2, b.y]
    : [a.x + width, a.y + heights[from] / 2, b.x, b.y + heights[to] / 2];
  const middle = isDown ? (y1 + y2) / 2 : (x1 + x2) / 2;
  const way = isDown ? `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}` : `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
  const [tx, ty] = isDown ? [(x1 + x2) / 2, (y1 + y2) / 2 + 4] : [x2 - 18, y2 - 6];
  return s(
    "g",
    { class: kind },
    s("path", { d: way }),
    s("text", { x: tx, y: ty, "text-anchor": "middle" }, isYes ? "yes" : "no"),
  );
}

export const summaryOf = (tree: Tree) => `Tree ${tree.number}: ${leavesText(tree.leaves)}, depth ${tree.depth}, objective ${tree.objective.toFixed(4)}`;

export interface Drawing {
  svg: SVGSVGElement;
  width: number;
  height: number;
}

const MARGIN = 14;

function laidOut(tree: Tree, kind: Kind) {
  const parts = tree.nodes.map((node) => {
    const counts = countsOf(node);
    return { lines: linesOf(node, counts, WIDTHS[kind]), bars: barsOf(counts) };
  });
  const heights = parts.map(({ lines, bars }) => heightOf(lines, bars));
  return { parts, heights, layout: layoutOf(tree, heights, kind) };
}

export function draw(tree: Tree, width: number, height: number, marks: Marks = {}): Drawing {
  const candidates = (["down", "right", "outline"] as const).map((kind) => laidOut(tree, kind));
  const { parts, heights, layout } = candidates.reduce((best, each) => (fit(each.layout, width, height) > fit(best.layout, width, height) ? each : best));
  const edges = tree.nodes.flatMap((node, i) =>
    node.yes < 0 ? [] : [drawEdge(layout, i, node.yes, heights, true, marks), drawEdge(layout, i, node.no, heights, false, marks)],
  );
  const nodes = tree.nodes.map((node, i) => drawNode(node, i, layout, parts[i].lines, parts[i].bars, marks));
  const box = [-MARGIN, -MARGIN, layout.width + 2 * MARGIN, layout.height + 2 * MARGIN];
  const svg = s(
    "svg",
    { class: "tree", role: "img", "aria-label": `${summaryOf(tree)}. The rules below say the same in words.`, viewBox: box.join(" "), preserveAspectRatio: "xMidYMid meet" },
    ...edges,
    ...nodes,
  );
  return { svg, width: box[2], height: box[3] };
}

// The shape alone, for tables.
export function thumbnail(tree: Tree): SVGSVGElement {
  const width = 56;
  const height = 30;
  const depth = Math.max(1, tree.depth);
  const x: number[] = [];
  let leaf = 0;
  const place = (i: number): number => {
    const node = tree.nodes[i];
    x[i] = node.yes < 0 ? ((leaf++ + 0.5) * width) / tree.leaves : (place(node.yes) + place(node.no)) / 2;
    return x[i];
  };
  place(0);
  const y = (node: TreeNode) => 4 + (node.depth * (height - 8)) / depth;
  const lines = tree.nodes.flatMap((node, i) =>
    node.yes < 0 ? [] : [node.yes, node.no].map((to) => `M${x[i].toFixed(1)} ${y(node).toFixed(1)}L${x[to].toFixed(1)} ${y(tree.nodes[to]).toFixed(1)}`),
  );
  const dots = tree.nodes.map((node, i) =>
    node.yes < 0
      ? s("circle", { cx: x[i].toFixed(1), cy: y(node).toFixed(1), r: 2.6, ...markOf(node) })
      : s("circle", { cx: x[i].toFixed(1), cy: y(node).toFixed(1), r: 1.6, class: "joint" }),
  );
  return s("svg", { class: "thumbnail", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, s("path", { d: lines.join("") }), ...dots);
}
