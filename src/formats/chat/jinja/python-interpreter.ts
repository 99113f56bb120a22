// An interpreter that follows Jinja for Python where the package differs. Like createRender, the function is passed as text
// to the process that renders templates, so it may use only its parameters and the language.

import type { FilterCall, PythonFilters } from './python-filters.ts';
import type { PythonOperators } from './python-operators.ts';
import type { PythonValues } from './python-values.ts';
import type { JinjaPackage, RuntimeValue, SyntaxNode } from './render-program.ts';

/** A node whose value is known. */
interface Evaluated extends SyntaxNode {
  readonly known: RuntimeValue;
}

interface Member extends SyntaxNode {
  readonly object: SyntaxNode;
  readonly property: SyntaxNode & { readonly value?: unknown };
  readonly computed: boolean;
}

interface Binary extends SyntaxNode {
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
  readonly operator: { readonly value: string };
}

interface Unary extends SyntaxNode {
  readonly argument: SyntaxNode;
  readonly operator: { readonly value: string };
}

interface Test extends SyntaxNode {
  readonly operand: SyntaxNode;
  readonly negate: boolean;
  readonly test: { readonly value?: unknown };
}

interface Filter extends SyntaxNode {
  readonly value?: unknown;
  readonly callee?: { readonly value?: unknown };
  readonly args?: readonly SyntaxNode[];
}

/** The part of the package's scopes that is used here. */
interface Scope {
  readonly tests: ReadonlyMap<unknown, (value: RuntimeValue, other?: RuntimeValue) => boolean>;
}

/** A node of the arguments of a filter. */
interface Argument extends SyntaxNode {
  readonly key?: { readonly value: string };
  readonly value?: SyntaxNode;
}

export function createPythonInterpreter(
  Base: JinjaPackage['Interpreter'],
  { text, integer, boolean, missing }: PythonValues,
  { calculate, filterWith, methodOf }: PythonOperators,
  { hasFilter, filterWithArguments }: PythonFilters,
): JinjaPackage['Interpreter'] {
  const known = (value: RuntimeValue): Evaluated => ({ type: 'Known', known: value });
  /** A key of a dictionary that was a number. */
  const numberOf = (value: RuntimeValue): RuntimeValue =>
    value.type === 'StringValue' && /^\d+$/.test(value.value as string) ? integer(Number(value.value)) : value;

  return class extends Base {
    override evaluate(node: SyntaxNode | undefined, environment: unknown): RuntimeValue {
      return node?.type === 'Known' ? (node as Evaluated).known : super.evaluate(node, environment);
    }

    override evaluateMemberExpression(node: SyntaxNode, environment: unknown): RuntimeValue {
      const member = node as Member;
      const object = this.evaluate(member.object, environment);
      if (object.type === 'UndefinedValue') throw new Error('an undefined value has no members');
      const { property, computed } = member;
      const given = { ...member, object: known(object) };
      if (!computed)
        return methodOf(object, String(property.value)) ?? super.evaluateMemberExpression(given, environment);
      if (property.type === 'SliceExpression' || object.type !== 'ObjectValue')
        return super.evaluateMemberExpression(given, environment);
      const key = this.evaluate(property, environment);
      if (key.type !== 'StringValue' && key.type !== 'IntegerValue') return missing();
      const asText = text(String(key.value));
      return super.evaluateMemberExpression({ ...given, property: known(asText) } as SyntaxNode, environment);
    }

    override evaluateBinaryExpression(node: SyntaxNode, environment: unknown): RuntimeValue {
      const binary = node as Binary;
      const operator = binary.operator.value;
      if (!['~', '+', '*', '%', '<', '<=', '>', '>='].includes(operator))
        return super.evaluateBinaryExpression(node, environment);
      const left = this.evaluate(binary.left, environment);
      const right = this.evaluate(binary.right, environment);
      const isKey = left.type !== right.type && /^[<>]/.test(operator);
      const given = {
        ...binary,
        left: known(isKey ? numberOf(left) : left),
        right: known(isKey ? numberOf(right) : right),
      } as SyntaxNode;
      return calculate(operator, left, right) ?? super.evaluateBinaryExpression(given, environment);
    }

    /** An empty list is false. */
    override evaluateUnaryExpression(node: SyntaxNode, environment: unknown): RuntimeValue {
      const { argument, operator } = node as Unary;
      if (operator.value !== 'not') return super.evaluateUnaryExpression(node, environment);
      return boolean(!this.evaluate(argument, environment).__bool__().value);
    }

    /** Undefined values and dictionaries are iterable. */
    override evaluateTestExpression(node: SyntaxNode, environment: unknown): RuntimeValue {
      const { operand, negate, test } = node as Test;
      if (test.value !== 'iterable') return super.evaluateTestExpression(node, environment);
      const value = this.evaluate(operand, environment);
      if (value.type === 'UndefinedValue' || value.type === 'ObjectValue') return boolean(!negate);
      return super.evaluateTestExpression({ ...node, operand: known(value) } as SyntaxNode, environment);
    }

    override applyFilter(operand: RuntimeValue, node: SyntaxNode, environment: unknown): RuntimeValue {
      const { type, value, callee, args = [] } = node as Filter;
      const name = type === 'Identifier' ? value : callee?.value;
      const filtered = filterWith(name, operand);
      if (filtered !== undefined) return filtered;
      const written = hasFilter(name) ? filterWithArguments(name, operand, this.#call(args, environment)) : undefined;
      return written ?? super.applyFilter(operand, node, environment);
    }

    #call(nodes: readonly Argument[], environment: unknown): FilterCall {
      const isNamed = ({ type }: Argument): boolean => type === 'KeywordArgumentExpression';
      return {
        args: nodes.filter((node) => !isNamed(node)).map((node) => this.evaluate(node, environment)),
        named: new Map(
          nodes.filter(isNamed).map(({ key, value }) => [key?.value ?? '', this.evaluate(value, environment)]),
        ),
        apply: (item, name, args) => {
          const callee = { type: 'Identifier', value: name };
          const call = { type: 'CallExpression', callee, args: args.map(known) };
          return this.applyFilter(item, args.length === 0 ? callee : call, environment);
        },
        test: (name) => {
          const test = (environment as Scope).tests.get(name);
          if (test === undefined) throw new Error(`there is no test ${name}`);
          return test;
        },
      };
    }
  };
}
