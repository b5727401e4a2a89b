// A tree as SQL and as Python, as Tree.to_sql and Tree.to_python write them; a test compares both.
import { data, LEAF, saidBy, Tree } from "./data";
import { leavesText } from "./text";

export function toSql(tree: Tree): string | null {
  if (tree.nodes.some((node) => (node.question === LEAF ? data.code.sql[saidBy(node)] : data.questions[node.question].sql) === null)) return null;
  const lines: string[] = [];
  const write = (place: number, indent: string, before: string, after: string): void => {
    const node = tree.nodes[place];
    if (node.question === LEAF) {
      lines.push(`${indent}${before}${data.code.sql[saidBy(node)]}${after}`);
      return;
    }
    let deeper = `${indent}  `;
    if (before) {
      lines.push(`${indent}${before.trimEnd()}`);
      [indent, deeper] = [deeper, `${deeper}  `];
    }
    lines.push(`${indent}CASE`);
    write(node.yes, deeper, `WHEN ${data.questions[node.question].sql} THEN `, "");
    write(node.no, deeper, "ELSE ", `\n${indent}END${after}`);
  };
  write(0, "", "", "");
  return lines.join("\n");
}

export function toPython(tree: Tree): string {
  const head = tree.nodes.length > 1 ? data.code.head.asking : data.code.head.leaf;
  const lines = [head.replace("{leaves}", () => (tree.leaves === 1 ? leavesText(1) : `${tree.leaves} leaves`))];
  const write = (place: number, indent: string): void => {
    const node = tree.nodes[place];
    if (node.question === LEAF) {
      lines.push(`${indent}return ${data.code.python[saidBy(node)]}`);
      return;
    }
    lines.push(`${indent}if ${data.questions[node.question].python}:`);
    write(node.yes, `${indent}    `);
    write(node.no, indent);
  };
  write(0, "    ");
  return `${lines.join("\n")}\n`;
}

export const toCall = (tree: Tree) => `trees[${tree.number}]`;
