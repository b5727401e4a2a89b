// What the page is given (TreeSet.to_explorer), and the trees read from its flat arrays.

export interface Question {
  variable: number;
  yes: string;
  no: string;
  missing?: boolean;
  at_most?: number | string; // infinities are text
  equals?: number | string;
  among?: number[]; // places among the categories of the variable
  sql: string | null;
  python: string;
}

export interface Variable {
  name: string;
  kind: string;
  categories: string[];
}

export interface PageData {
  name: string | null;
  about: string;
  facts: [string, string][];
  n_trees: string;
  bound: number;
  min_objective: number | null;
  measure: string;
  classes: string[];
  labels: string[]; // what nodes say, in words
  numbers: number[] | null; // the same as numbers, where trees predict these
  word: string; // for what they are: "mean" or "rate"
  is_probability: boolean;
  variables: Variable[];
  questions: Question[];
  usage: (string | null)[];
  trees: {
    objective: number[];
    measured: (number | null)[];
    questions: number[];
    facts: number[];
    says: number[];
    rows: number[] | null;
    weights: number[] | null;
    held_out: number[] | null;
    held_out_means?: (number | null)[] | null; // of numbers
  };
  held_out_by_class: boolean;
  criteria: { name: string; values: (number | null)[]; range: [number | null, number | null] | null }[]; // range: over all trees
  groups: { first: number; n_trees: string }[];
  overview: {
    question: number[];
    after: number[]; // twice the step above it, plus 1 on the no-side; -1 at the root
    n_trees: (number | string)[]; // text where they are large
    min_objective: number[];
    n_others: Record<string, number>; // questions that a step stands for
  };
  code: { sql: (string | null)[]; python: string[]; head: { asking: string; leaf: string } };
}

export const LEAF = -1; // in place of a question
export const OTHERS = -2; // questions that are not listed

export interface TreeNode {
  question: number; // LEAF: none
  fact: number;
  depth: number;
  position: string; // r, then y or n for each answer
  yes: number; // places among the nodes of the tree
  no: number;
}

export interface Tree {
  number: number;
  objective: number;
  measured: number | null; // of numbers, it may be beyond floats
  nodes: TreeNode[]; // in preorder
  at: Map<string, number>; // nodes by position
  leaves: number;
  depth: number;
  variables: number[];
  shape: string; // the same for trees with the same variables in the same shape
}

export interface Counts {
  rows: number[] | null; // by class
  weights: number[] | null;
  heldOut: number[] | null; // by class, or their number alone
  heldOutMean: number | null; // of their numbers
}

export const data: PageData = JSON.parse(document.getElementById("data")!.textContent!);
export const nTrees = BigInt(data.n_trees);
export const isOfNumbers = data.numbers !== null; // rows are then counted together: there are no classes

function readTrees(): Tree[] {
  const { questions, facts, objective, measured } = data.trees;
  let next = 0;
  return objective.map((value, number) => {
    const nodes: TreeNode[] = [];
    const read = (position: string, depth: number): number => {
      const node: TreeNode = { question: questions[next], fact: facts[next], depth, position, yes: -1, no: -1 };
      next += 1;
      const place = nodes.push(node) - 1;
      if (node.question !== LEAF) {
        node.yes = read(`${position}y`, depth + 1);
        node.no = read(`${position}n`, depth + 1);
      }
      return place;
    };
    read("r", 0);
    const asked = nodes.map((node) => (node.question === LEAF ? LEAF : data.questions[node.question].variable));
    return {
      number,
      objective: value,
      measured: measured[number],
      nodes,
      at: new Map(nodes.map((node, place) => [node.position, place])),
      leaves: nodes.filter((node) => node.question === LEAF).length,
      depth: Math.max(...nodes.map((node) => node.depth)),
      variables: [...new Set(asked.filter((variable) => variable !== LEAF))],
      shape: asked.join(),
    };
  });
}

export const trees = readTrees();
export const isWhole = BigInt(trees.length) === nTrees; // all trees of the set are on the page

export const treesOfShape = new Map(data.groups.map((group) => [trees[group.first].shape, BigInt(group.n_trees)]));

const part = (numbers: number[] | null, fact: number, size: number) =>
  numbers === null ? null : numbers.slice(fact * size, (fact + 1) * size);

export function countsOf(node: TreeNode): Counts {
  const size = isOfNumbers ? 1 : data.classes.length;
  return {
    rows: part(data.trees.rows, node.fact, size),
    weights: part(data.trees.weights, node.fact, size),
    heldOut: part(data.trees.held_out, node.fact, data.held_out_by_class ? size : 1),
    heldOutMean: data.trees.held_out_means?.[node.fact] ?? null,
  };
}

export const saidBy = (node: TreeNode) => data.trees.says[node.fact];

export const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
