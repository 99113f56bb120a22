// The syntax tree of a template, and functions that traverse it.

import type { Position } from '../values/errors.ts';

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | OutputNode
  | BranchNode
  | { readonly kind: 'break' | 'continue' }
  | CallNode;

/** `{{ pipeline }}`: written, unless it declares or assigns variables. */
interface OutputNode {
  readonly kind: 'output';
  readonly pipeline: Pipeline;
}

export interface BranchNode {
  readonly kind: 'if' | 'with' | 'range';
  readonly pipeline: Pipeline;
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[];
}

/** `{{ template "name" pipeline }}`, or a block, whose body is one of the definitions. */
export interface CallNode {
  readonly kind: 'template';
  readonly name: string;
  readonly pipeline: Pipeline | undefined;
  readonly position: Position;
}

/** `$a, $b := first | second`: the value of each command is the last argument of the next. */
export interface Pipeline {
  readonly variables: readonly string[];
  /** `:=` declares the variables, `=` assigns to them. */
  readonly declares: boolean;
  readonly commands: readonly CommandNode[];
  readonly position: Position;
}

/** A function with its arguments, or a single operand. */
export type CommandNode = readonly [Operand, ...Operand[]];

interface Positioned {
  readonly position: Position;
}

interface WithPath extends Positioned {
  /** The fields that follow it: `.A.B` has A and B. */
  readonly path: readonly string[];
}

export type Operand =
  | ({ readonly kind: 'dot' | 'nil' } & Positioned)
  | ({ readonly kind: 'literal'; readonly value: string | number | bigint | boolean } & Positioned)
  | ({ readonly kind: 'field' } & WithPath)
  | ({ readonly kind: 'variable'; readonly name: string } & WithPath)
  | ({ readonly kind: 'group'; readonly pipeline: Pipeline } & WithPath)
  | ({ readonly kind: 'function'; readonly name: string } & WithPath);

export interface Tree {
  readonly nodes: readonly Node[];
  /** The bodies of `define` and `block`, by name. */
  readonly definitions: ReadonlyMap<string, readonly Node[]>;
}

/** Calls `visit` with every node, outer nodes first. If it returns false, the children are skipped. */
export function visitNodes(nodes: readonly Node[], visit: (node: Node) => boolean | undefined): void {
  for (const node of nodes) {
    if (visit(node) === false || !('body' in node)) continue;
    visitNodes(node.body, visit);
    visitNodes(node.otherwise, visit);
  }
}

/** Calls `visit` with every operand of a pipeline, at any depth. */
function visitOperands(pipeline: Pipeline, visit: (operand: Operand) => void): void {
  for (const operand of pipeline.commands.flat()) {
    visit(operand);
    if (operand.kind === 'group') visitOperands(operand.pipeline, visit);
  }
}

/** The names of the fields and variables in a pipeline, in lower case. */
export function namesIn(pipeline: Pipeline): Set<string> {
  const names = new Set<string>();
  visitOperands(pipeline, (operand) => {
    if (operand.kind === 'variable') names.add(operand.name.toLowerCase());
    if ('path' in operand) for (const name of operand.path) names.add(name.toLowerCase());
  });
  return names;
}
