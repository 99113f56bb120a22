// Renders a template with data, in bounded time and memory.

import { type Effort, EffortExceeded, unlimitedEffort } from '../../base/effort.ts';
import { messageOf } from '../../base/errors.ts';
import { follow, itemsOf } from './access.ts';
import { type CallContext, checkArity, findFunction } from './functions/functions.ts';
import type { BranchNode, CallNode, CommandNode, Node, Operand, Pipeline, Tree } from './parse/tree.ts';
import { printValue } from './printing/format-value.ts';
import { type Position, toTemplateError } from './values/errors.ts';
import { createMeter, stepsForText, type TemplateLimits } from './values/limits.ts';
import { isTrue, kindOf, type Value } from './values/values.ts';

interface Rendering {
  readonly tree: Tree;
  readonly data: Value;
  readonly limits: TemplateLimits;
  /** The time in milliseconds since the epoch. */
  readonly now: number;
  /** Bounds the work on this thread. */
  readonly effort?: Effort;
  /** Undeclared variables evaluate to the data: for parts of a template without their declarations. */
  readonly isPart?: boolean;
}

type Flow = 'next' | 'break' | 'continue';

/** The dot and the variables of the current nodes. */
interface Frame {
  readonly dot: Value;
  readonly scope: VariableScope;
}

export function renderTree({ tree, data, limits, now, effort = unlimitedEffort, isPart = false }: Rendering): string {
  const meter = createMeter(limits, effort);
  const context: CallContext = { meter, now };
  const output: string[] = [];
  let here: Position = { line: 1, column: 1 };
  let depth = 0;

  const write = (text: string): void => {
    meter.output(text.length);
    output.push(text);
  };

  const visit = (position: Position): void => {
    here = position;
    meter.step();
  };

  const enter = (): void => {
    if (++depth > limits.depth) throw new Error(`nested more than ${limits.depth} levels deep`);
  };

  const run = (nodes: readonly Node[], frame: Frame): Flow => {
    enter();
    let flow: Flow = 'next';
    for (const node of nodes) {
      flow = runNode(node, frame);
      if (flow !== 'next') break;
    }
    depth--;
    return flow;
  };

  const runNode = (node: Node, frame: Frame): Flow => {
    meter.step();
    switch (node.kind) {
      case 'text':
        write(node.text);
        return 'next';
      case 'output': {
        const value = evaluate(node.pipeline, frame);
        if (node.pipeline.variables.length === 0) write(value === undefined ? '<no value>' : printValue(value, meter));
        return 'next';
      }
      case 'if':
      case 'with':
        return runChoice(node, frame);
      case 'range':
        return runRange(node, frame);
      case 'template':
        return runCall(node, frame);
      default:
        return node.kind;
    }
  };

  const runChoice = (node: BranchNode, { dot, scope }: Frame): Flow => {
    const inner: Frame = { dot, scope: createScope(scope) };
    const value = evaluate(node.pipeline, inner);
    if (!isTrue(value)) return run(node.otherwise, inner);
    return run(node.body, node.kind === 'with' ? { ...inner, dot: value } : inner);
  };

  const runRange = (node: BranchNode, { dot, scope }: Frame): Flow => {
    const { position, variables } = node.pipeline;
    const inner: Frame = { dot, scope: createScope(scope) };
    // The variables get the ranged value first: Go leaves it in them after an empty range.
    const value = evaluate(node.pipeline, inner);
    here = position;
    if (variables.length > 1 && kindOf(value) === 'int')
      throw new Error(`can't use ${value} to iterate over more than one variable`);
    let isEmpty = true;
    for (const entry of itemsOf(value, meter)) {
      isEmpty = false;
      visit(position);
      bindItem(node.pipeline, entry, inner.scope);
      if (run(node.body, { dot: entry[1], scope: createScope(inner.scope) }) === 'break') break;
    }
    return isEmpty ? run(node.otherwise, inner) : 'next';
  };

  const runCall = ({ name, pipeline, position }: CallNode, frame: Frame): Flow => {
    const body = name === '' ? tree.nodes : tree.definitions.get(name);
    here = position;
    if (body === undefined) throw new Error(`template ${JSON.stringify(name)} not defined`);
    const dot = pipeline && evaluate(pipeline, frame);
    const scope = createScope();
    assignVariable(scope, '$', dot, true);
    return run(body, { dot, scope });
  };

  const evaluate = (pipeline: Pipeline, frame: Frame): Value => {
    let value: Value;
    pipeline.commands.forEach((command, index) => {
      // A null result becomes undefined; see values.ts.
      value = runCommand(command, frame, index === 0 ? [] : [value]) ?? undefined;
    });
    for (const name of pipeline.variables) {
      const declares = pipeline.declares || (isPart && findVariable(frame.scope, name) === undefined);
      assignVariable(frame.scope, name, value, declares);
    }
    return value;
  };

  const runCommand = (command: CommandNode, frame: Frame, piped: readonly Value[]): Value => {
    const [head, ...rest] = command;
    visit(head.position);
    if (head.kind === 'function' && head.path.length === 0) return call(head, rest, frame, piped);
    if (rest.length > 0 || piped.length > 0) throw new Error("can't give argument to non-function");
    if (head.kind === 'nil') throw new Error('nil is not a command');
    return read(head, frame);
  };

  const call = (
    { name, position }: Extract<Operand, { kind: 'function' }>,
    operands: readonly Operand[],
    frame: Frame,
    piped: readonly Value[],
  ): Value => {
    checkArity(name, operands.length + piped.length);
    if (name === 'and' || name === 'or') return shortCircuit(name === 'or', operands, frame, piped);
    const args = [...operands.map((operand) => read(operand, frame)), ...piped];
    here = position;
    for (const arg of args) if (typeof arg === 'string') meter.step(stepsForText(arg.length));
    try {
      return findFunction(name).run(args, context);
    } catch (error) {
      if (error instanceof RangeError || error instanceof EffortExceeded) throw error;
      throw new Error(`error calling ${name}: ${messageOf(error)}`);
    }
  };

  /** Returns the operand that decides. Later operands are not evaluated. */
  const shortCircuit = (by: boolean, operands: readonly Operand[], frame: Frame, piped: readonly Value[]): Value => {
    let value: Value;
    for (const operand of operands) {
      value = read(operand, frame);
      if (isTrue(value) === by) return value;
    }
    return piped.length > 0 ? piped[0] : value;
  };

  const read = (operand: Operand, frame: Frame): Value => {
    visit(operand.position);
    switch (operand.kind) {
      case 'dot':
        return frame.dot;
      case 'nil':
        return undefined;
      case 'literal':
        return operand.value;
      case 'field':
        return follow(frame.dot, operand.path);
      case 'variable':
        return follow(readVariable(operand.name, frame.scope), operand.path);
      case 'function':
        return follow(call(operand, [], frame, []), operand.path);
      case 'group': {
        enter();
        const value = evaluate(operand.pipeline, frame);
        depth--;
        here = operand.position;
        return follow(value, operand.path);
      }
    }
  };

  const readVariable = (name: string, scope: VariableScope): Value => {
    const found = findVariable(scope, name);
    if (found !== undefined) return found.value;
    if (isPart) return data;
    throw new Error(`undefined variable: ${name}`);
  };

  try {
    const scope = createScope();
    const dot = data ?? undefined;
    assignVariable(scope, '$', dot, true);
    run(tree.nodes, { dot, scope });
    return output.join('');
  } catch (error) {
    throw error instanceof EffortExceeded ? error : toTemplateError(error, here);
  }
}

/** Two variables get key and item, one gets the item. */
function bindItem({ variables, declares }: Pipeline, [key, item]: readonly [Value, Value], scope: VariableScope): void {
  const [first, second] = variables;
  if (first !== undefined) assignVariable(scope, first, second === undefined ? item : key, declares);
  if (second !== undefined) assignVariable(scope, second, item, declares);
}

// Variables of a running template. A declaration is valid until the end of its block. An assignment changes the
// innermost variable of that name, so that a loop can change variables outside of it.
interface VariableScope {
  readonly values: Map<string, Value>;
  readonly outer: VariableScope | undefined;
}

function createScope(outer?: VariableScope): VariableScope {
  return { values: new Map(), outer };
}

function scopeOf(scope: VariableScope, name: string): VariableScope | undefined {
  let current: VariableScope | undefined = scope;
  while (current !== undefined && !current.values.has(name)) current = current.outer;
  return current;
}

/** Wrapped in an object, because undefined is a valid value. */
function findVariable(scope: VariableScope, name: string): { readonly value: Value } | undefined {
  const found = scopeOf(scope, name);
  return found && { value: found.values.get(name) };
}

function assignVariable(scope: VariableScope, name: string, value: Value, declares: boolean): void {
  const target = declares ? scope : scopeOf(scope, name);
  if (target === undefined) throw new Error(`undefined variable: ${name}`);
  target.values.set(name, value);
}
