// What a template means, once parsed.

import type { Position } from './errors.ts';

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'with' | 'range';
      readonly pipeline: Pipeline;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    }
  | { readonly kind: 'break' | 'continue' };

/** `$a, $b := first | second`: the value of each command is the last argument of the next. */
export interface Pipeline {
  readonly variables: readonly string[];
  readonly declares: boolean;
  readonly commands: readonly Command[];
  readonly position: Position;
}

/** A function with its arguments, or a single operand. */
export type Command = readonly Operand[];

export type Operand =
  | { readonly kind: 'dot'; readonly position: Position }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null; readonly position: Position }
  | { readonly kind: 'variable'; readonly name: string; readonly path: readonly string[]; readonly position: Position }
  | { readonly kind: 'field'; readonly path: readonly string[]; readonly position: Position }
  | {
      readonly kind: 'group';
      readonly pipeline: Pipeline;
      readonly path: readonly string[];
      readonly position: Position;
    }
  | { readonly kind: 'function'; readonly name: string; readonly position: Position };

/** Calls `visit` with every operand, in whatever depth. */
export function visitOperands(nodes: readonly Node[], visit: (operand: Operand) => void): void {
  const visitPipeline = (pipeline: Pipeline): void => {
    for (const operand of pipeline.commands.flat()) {
      visit(operand);
      if (operand.kind === 'group') visitPipeline(operand.pipeline);
    }
  };
  for (const node of nodes) {
    if ('pipeline' in node) visitPipeline(node.pipeline);
    if ('body' in node) visitOperands(node.body, visit);
    if ('otherwise' in node) visitOperands(node.otherwise, visit);
  }
}
