// Renders a tree with data. Templates come from model files and requests, so steps and output are bounded.

import { messageOf } from '../kernel/errors.ts';
import { type Position, templateError } from './errors.ts';
import { functions, isTrue, printValue, type Value } from './functions.ts';
import type { Command, Node, Operand, Pipeline } from './tree.ts';

export interface RenderLimits {
  readonly steps: number;
  readonly outputLength: number;
}

export const defaultLimits: RenderLimits = { steps: 1_000_000, outputLength: 256 * 2 ** 20 };

type Flow = 'next' | 'break' | 'continue';

type Block = Extract<Node, { readonly body: readonly Node[] }>;

interface Scope {
  readonly variables: Map<string, Value>;
  readonly outer: Scope | undefined;
}

export function renderTree(nodes: readonly Node[], data: Value, limits: RenderLimits = defaultLimits): string {
  let steps = 0;
  let length = 0;
  const output: string[] = [];
  const start: Position = { line: 1, column: 1 };

  const write = (text: string): void => {
    length += text.length;
    if (length > limits.outputLength)
      throw templateError(`it writes more than ${limits.outputLength} characters`, start);
    output.push(text);
  };
  const countStep = (position: Position): void => {
    if (++steps > limits.steps) throw templateError(`it takes more than ${limits.steps} steps`, position);
  };

  const run = (list: readonly Node[], dot: Value, scope: Scope): Flow => {
    for (const node of list) {
      const flow = runNode(node, dot, scope);
      if (flow !== 'next') return flow;
    }
    return 'next';
  };

  const runNode = (node: Node, dot: Value, scope: Scope): Flow => {
    switch (node.kind) {
      case 'text':
        write(node.text);
        return 'next';
      case 'output': {
        const value = evaluate(node.pipeline, dot, scope);
        if (node.pipeline.variables.length === 0) write(printValue(value));
        return 'next';
      }
      case 'if':
      case 'with': {
        const inner: Scope = { variables: new Map(), outer: scope };
        const value = evaluate(node.pipeline, dot, inner);
        if (!isTrue(value)) return run(node.otherwise, dot, inner);
        return run(node.body, node.kind === 'with' ? value : dot, inner);
      }
      case 'range':
        return runRange(node, dot, scope);
      default:
        return node.kind;
    }
  };

  const runRange = (node: Block, dot: Value, scope: Scope): Flow => {
    const { pipeline } = node;
    const items = itemsOf(evaluate({ ...pipeline, variables: [] }, dot, scope), pipeline.position);
    if (items.length === 0) return run(node.otherwise, dot, { variables: new Map(), outer: scope });
    for (const [key, value] of items) {
      countStep(pipeline.position);
      const inner: Scope = { variables: new Map(), outer: scope };
      const [first, second] = pipeline.variables;
      if (second !== undefined) assign(inner, first as string, key, pipeline);
      if (first !== undefined) assign(inner, second ?? first, value, pipeline);
      if (run(node.body, value, inner) === 'break') break;
    }
    return 'next';
  };

  const evaluate = (pipeline: Pipeline, dot: Value, scope: Scope): Value => {
    let value: Value;
    pipeline.commands.forEach((command, index) => {
      value = index === 0 ? runCommand(command, dot, scope, []) : runCommand(command, dot, scope, [value]);
    });
    for (const name of pipeline.variables) assign(scope, name, value, pipeline);
    return value;
  };

  const runCommand = (command: Command, dot: Value, scope: Scope, piped: readonly Value[]): Value => {
    const [head, ...rest] = command as [Operand, ...Operand[]];
    countStep(head.position);
    if (head.kind !== 'function') {
      if (rest.length > 0 || piped.length > 0)
        throw templateError("can't give argument to non-function", head.position);
      return read(head, dot, scope);
    }
    if (head.name === 'and' || head.name === 'or')
      return decide(head.name, rest, piped, (operand) => read(operand, dot, scope));
    return call(head, [...rest.map((operand) => read(operand, dot, scope)), ...piped]);
  };

  const read = (operand: Operand, dot: Value, scope: Scope): Value => {
    countStep(operand.position);
    switch (operand.kind) {
      case 'dot':
        return dot;
      case 'literal':
        return operand.value;
      case 'field':
        return follow(dot, operand.path);
      case 'variable':
        return follow(operand.name === '$' ? data : lookUp(scope, operand.name, operand.position), operand.path);
      case 'group':
        return follow(evaluate(operand.pipeline, dot, scope), operand.path);
      case 'function':
        return call(operand, []);
    }
  };

  run(nodes, data, { variables: new Map(), outer: undefined });
  return output.join('');
}

/** The operand that decides; those after it are not evaluated. */
function decide(
  name: 'and' | 'or',
  operands: readonly Operand[],
  piped: readonly Value[],
  read: (operand: Operand) => Value,
): Value {
  let value: Value;
  for (const operand of operands) {
    value = read(operand);
    if (isTrue(value) === (name === 'or')) return value;
  }
  return piped.length > 0 ? piped[0] : value;
}

function call({ name, position }: Extract<Operand, { kind: 'function' }>, values: readonly Value[]): Value {
  const target = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (target === undefined) throw templateError(`function "${name}" not defined`, position);
  try {
    return target(...values);
  } catch (error) {
    throw templateError(`error calling ${name}: ${messageOf(error)}`, position);
  }
}

function follow(value: Value, path: readonly string[]): Value {
  let current = value;
  for (const name of path) {
    if (typeof current !== 'object' || current === null || Array.isArray(current) || !Object.hasOwn(current, name))
      return undefined;
    current = (current as Readonly<Record<string, Value>>)[name];
  }
  return current;
}

function lookUp(scope: Scope | undefined, name: string, position: Position): Value {
  for (let current = scope; current; current = current.outer) {
    if (current.variables.has(name)) return current.variables.get(name);
  }
  throw templateError(`undefined variable "${name}"`, position);
}

// `:=` makes a variable here; `=` changes the nearest one, so that a loop can change what stands outside it.
function assign(scope: Scope, name: string, value: Value, { declares, position }: Pipeline): void {
  let target: Scope | undefined = scope;
  while (!declares && target && !target.variables.has(name)) target = target.outer;
  if (target === undefined) throw templateError(`undefined variable "${name}"`, position);
  target.variables.set(name, value);
}

function itemsOf(value: Value, position: Position): (readonly [Value, Value])[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.map((item, index) => [index, item] as const);
  if (typeof value === 'object') {
    const entries = Object.entries(value as Readonly<Record<string, Value>>);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1));
  }
  throw templateError(`range can't iterate over ${printValue(value)}`, position);
}
