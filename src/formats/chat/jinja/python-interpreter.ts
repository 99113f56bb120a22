// An interpreter that follows Jinja for Python where the package differs. Like createRender, the function is passed as text
// to the process that renders templates, so it may use only its parameters and the language.

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
}

export function createPythonInterpreter(
  jinja: JinjaPackage,
  { text, integer, boolean, missing, print }: PythonValues,
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
  const isSilent = (node: SyntaxNode): boolean => /^(?:Set|Macro|Break|Continue|Comment)$|Statement$/.test(node.type);

  return class extends jinja.Interpreter {
    override evaluate(node: SyntaxNode | undefined, environment: unknown): RuntimeValue {
      if (node?.type === 'Known') return (node as Evaluated).known;
      if (node?.type === 'For') return super.evaluate(withLists(node), environment);
      return super.evaluate(node?.type === 'ObjectLiteral' ? withTextKeys(node as Dictionary) : node, environment);
    }

    override evaluateBlock(nodes: readonly SyntaxNode[], environment: unknown): RuntimeValue {
      return text(
        nodes
          .map((node) => {
            const value = this.evaluate(node, environment);
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

    /** An undefined value is iterable. */
    override evaluateTestExpression(node: SyntaxNode, environment: unknown): RuntimeValue {
      const { operand, negate, test } = node as Test;
      if (test.value !== 'iterable') return super.evaluateTestExpression(node, environment);
      const value = this.evaluate(operand, environment);
      if (value.type === 'UndefinedValue') return boolean(!negate);
      return super.evaluateTestExpression({ ...node, operand: known(value) } as SyntaxNode, environment);
    }

    override applyFilter(operand: RuntimeValue, node: SyntaxNode, environment: unknown): RuntimeValue {
      const { type, value, callee } = node as Filter;
      const name = type === 'Identifier' ? value : callee?.value;
      return filterWith(name, operand) ?? super.applyFilter(operand, node, environment);
    }
  };
}
