// An interpreter that follows Jinja for Python where the package differs. Like createRender, the function is passed as text
// to the process that renders templates, so it may use only its parameters and the language.

import type { Environment } from '@huggingface/jinja';
import type { PythonOperators } from './python-operators.ts';
import type { PythonValues } from './python-values.ts';
import type { Interpreter, JinjaPackage, RuntimeValue, SyntaxNode } from './render-program.ts';

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

/** Keys can be numbers in Python, and only texts in the package. */
interface Dictionary extends SyntaxNode {
  readonly value: ReadonlyMap<SyntaxNode & { readonly value?: unknown }, SyntaxNode>;
}

interface Filter extends SyntaxNode {
  readonly value?: unknown;
  readonly callee?: { readonly value?: unknown };
  readonly args?: readonly SyntaxNode[];
}

/** `for … in iterable`. With `if …`, the iterable is the left side of a selection. */
interface Loop extends SyntaxNode {
  readonly iterable: SyntaxNode & { readonly lhs?: SyntaxNode };
  readonly body: readonly SyntaxNode[];
}

/** The part of the package's scopes that is used here. */
interface Scope {
  readonly tests: ReadonlyMap<unknown, (value: RuntimeValue, other?: RuntimeValue) => boolean>;
}

export function createPythonInterpreter(
  jinja: JinjaPackage,
  { text, integer, boolean, list, missing, print, printf }: PythonValues,
  { calculate, filterWith, methodOf, withLists }: PythonOperators,
): new (
  environment: unknown,
) => Interpreter {
  const known = (value: RuntimeValue): Evaluated => ({ type: 'Known', known: value });
  const withTextKeys = ({ value, ...node }: Dictionary): SyntaxNode =>
    ({
      ...node,
      value: new Map(
        Array.from(value, ([key, item]) => [
          key.type === 'IntegerLiteral' ? { type: 'StringLiteral', value: String(key.value) } : key,
          item,
        ]),
      ),
    }) as SyntaxNode;
  /** A key of a dictionary that was a number. */
  const numberOf = (value: RuntimeValue): RuntimeValue =>
    value.type === 'StringValue' && /^\d+$/.test(value.value as string) ? integer(Number(value.value)) : value;
  // What the loops of cached templates iterate over, and their bodies.
  const iterables = new WeakSet<object>();
  const bodies = new WeakSet<readonly SyntaxNode[]>();
  /** A loop over an undefined value runs zero times, one over a text for each character. The package throws. */
  const toIterable = (value: RuntimeValue): RuntimeValue => {
    if (value.type === 'UndefinedValue') return list([]);
    if (value.type !== 'StringValue') return value;
    const characters = new Map<string, RuntimeValue>();
    const toValue = (character: string): RuntimeValue => {
      const found = characters.get(character) ?? text(character);
      characters.set(character, found);
      return found;
    };
    return list(Array.from(value.value as string, toValue));
  };
  /** `a.b` is an attribute of an attribute. */
  const attributeOf = (item: RuntimeValue, path: string): RuntimeValue =>
    path.split('.').reduce((value, name) => {
      const found = value.type === 'ObjectValue' ? (value.value as Map<string, RuntimeValue>).get(name) : undefined;
      return found ?? missing();
    }, item);
  const isSilent = (node: SyntaxNode): boolean => /^(?:Set|Macro|Break|Continue|Comment)$|Statement$/.test(node.type);

  return class extends jinja.Interpreter {
    override evaluate(node: SyntaxNode | undefined, environment: unknown): RuntimeValue {
      if (node?.type === 'Known') return (node as Evaluated).known;
      if (node?.type === 'For') {
        const { iterable, body } = node as Loop;
        bodies.add(body);
        iterables.add((iterable.type === 'SelectExpression' && iterable.lhs) || iterable);
        return super.evaluate(withLists(node), environment);
      }
      const value = super.evaluate(
        node?.type === 'ObjectLiteral' ? withTextKeys(node as Dictionary) : node,
        environment,
      );
      return node !== undefined && iterables.has(node) ? toIterable(value) : value;
    }

    override evaluateBlock(nodes: readonly SyntaxNode[], environment: unknown): RuntimeValue {
      // What a loop sets is gone in its next turn.
      const scope = bodies.has(nodes) ? new jinja.Environment(environment as Environment) : environment;
      return text(
        nodes
          .map((node) => {
            const value = this.evaluate(node, scope);
            return isSilent(node) && value.type === 'NullValue' ? '' : print(value);
          })
          .join(''),
      );
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
      if (!['~', '+', '*', '<', '<=', '>', '>='].includes(operator))
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
      return (
        filterWith(name, operand) ??
        this.filterWithArguments(name, operand, args, environment) ??
        super.applyFilter(operand, node, environment)
      );
    }

    filterWithArguments(
      name: unknown,
      operand: RuntimeValue,
      args: readonly SyntaxNode[],
      environment: unknown,
    ): RuntimeValue | undefined {
      if (operand.type === 'StringValue' && name === 'format') {
        const values = args.map((argument) => this.evaluate(argument, environment));
        return text(printf(operand.value as string, values));
      }
      if (operand.type !== 'ArrayValue') return undefined;
      const items = operand.value as readonly RuntimeValue[];
      if (name === 'selectattr' || name === 'rejectattr')
        return list(this.selectItems(items, args, environment, name === 'selectattr'));
      const [filter, ...others] = args;
      if (name !== 'map' || filter === undefined || filter.type === 'KeywordArgumentExpression') return undefined;
      return list(this.mapItems(items, filter, others, environment));
    }

    /** Items whose attribute, which may be missing, passes a test. */
    selectItems(
      items: readonly RuntimeValue[],
      args: readonly SyntaxNode[],
      environment: unknown,
      isWanted: boolean,
    ): RuntimeValue[] {
      const [path, testName, other] = args.map((argument) => this.evaluate(argument, environment));
      const test = testName && (environment as Scope).tests.get(testName.value);
      if (testName !== undefined && test === undefined) throw new Error(`there is no test ${print(testName)}`);
      const passes = (value: RuntimeValue): boolean => test?.(value, other) ?? value.__bool__().value === true;
      return items.filter((item) => passes(attributeOf(item, String(path?.value))) === isWanted);
    }

    /** `map('upper')` */
    mapItems(
      items: readonly RuntimeValue[],
      filter: SyntaxNode,
      args: readonly SyntaxNode[],
      environment: unknown,
    ): RuntimeValue[] {
      const callee = { type: 'Identifier', value: this.evaluate(filter, environment).value };
      const node = args.length === 0 ? callee : { type: 'CallExpression', callee, args };
      return items.map((item) => this.applyFilter(item, node, environment));
    }
  };
}
