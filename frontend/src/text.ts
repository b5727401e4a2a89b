// Numbers and words.
import { data, LEAF } from "./data";

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
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(4);
}

export const questionText = (question: number) => (question === LEAF ? "a leaf" : data.questions[question].yes);

export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(1, length - 1))}…`;
}

// Lines of about `length` characters; what does not fit on them is cut.
export function wrapped(text: string, length: number, maxLines: number): string[] {
  const lines: string[] = [];
  let rest = text.trim();
  while (rest && lines.length < maxLines) {
    if (rest.length <= length) return [...lines, rest];
    if (lines.length === maxLines - 1) return [...lines, shortened(rest, length)];
    const space = rest.lastIndexOf(" ", length);
    const end = space > length / 3 ? space : length;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trim();
  }
  return lines.length ? lines : [""];
}
