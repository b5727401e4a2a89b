// Numbers and words.
import { data, isOfNumbers, LEAF } from "./data";

export const whole = (n: number | bigint) => n.toLocaleString("en-US");

// Exactly, or roughly where that is long.
export function count(n: bigint): string {
  if (n < 10n ** 15n) return whole(n);
  const digits = n.toString();
  return `about ${digits[0]}.${digits.slice(1, 3)} × 10^${digits.length - 1}`;
}

export const counted = (n: bigint | number, noun: string) =>
  `${typeof n === "bigint" ? count(n) : whole(n)} ${noun}${BigInt(n) === 1n ? "" : noun === "leaf" ? "" : "s"}`;

export const leavesText = (n: number) => (n === 1 ? "1 leaf" : `${whole(n)} leaves`);

// A share that is not 0% or 100% never reads so.
export function percent(share: number): string {
  if (share > 0 && share < 0.005) return "<1%";
  if (share > 0.995 && share < 1) return ">99%";
  return `${Math.round(100 * share)}%`;
}

export const shareOf = (n: bigint, all: bigint) => (all === 0n ? 0 : Number((n * 1000000n) / all) / 1000000);

export const objectiveText = (value: number) => value.toFixed(4);

export function valueText(value: number | null): string {
  if (value === null) return "–";
  if (isOfNumbers) return String(Number(value.toPrecision(4))); // of any size
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(4);
}

export const questionText = (question: number) => (question === LEAF ? "a leaf" : data.questions[question].yes);

export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(1, length - 1))}…`;
}

const pen = document.createElement("canvas").getContext("2d");
const FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif";
const known = new Map<string, number>();

// Pixels that a text takes; `font` is its weight and size.
export function widthOf(text: string, font: string): number {
  const key = `${font}\n${text}`;
  let width = known.get(key);
  if (width === undefined) {
    if (pen) pen.font = `${font} ${FAMILY}`;
    width = pen ? pen.measureText(text).width : text.length * 7;
    known.set(key, width);
  }
  return width;
}

// The text, or as much of its beginning as fits.
export function fitted(text: string, room: number, font: string): string {
  if (widthOf(text, font) <= room) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(`${text.slice(0, middle)}…`, font) <= room) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}

// Lines that fit; what does not fit on them is cut.
export function wrapped(text: string, room: number, font: string, maxLines: number): string[] {
  const lines: string[] = [];
  let rest = text.trim();
  while (rest) {
    if (widthOf(rest, font) <= room) return [...lines, rest];
    if (lines.length === maxLines - 1) return [...lines, fitted(rest, room, font)];
    const whole = fitted(rest, room, font).length - 1;
    const space = rest.lastIndexOf(" ", whole);
    const end = space > whole / 3 ? space : Math.max(1, whole);
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trim();
  }
  return lines.length ? lines : [""];
}
