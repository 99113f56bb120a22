// Operators, filters and methods of Jinja for Python that the package lacks. Like createRender, the function is passed as
// text to the process that renders templates, so it may use only its parameters and the language.

import type { Printf } from './python-printf.ts';
import type { PythonText } from './python-text.ts';
import type { PythonValues } from './python-values.ts';
import type { RuntimeValue, SyntaxNode } from './render-program.ts';

/** `{% for a, b in [(1, 2)] %}` */
interface Loop extends SyntaxNode {
  readonly loopvar: SyntaxNode;
  readonly iterable: SyntaxNode & { readonly value?: readonly SyntaxNode[] };
}

export function createPythonOperators(
  { text, integer, list, method, missing, none, print, format }: PythonValues,
  { methodOfText }: PythonText,
  printf: Printf,
  maxText: number,
) {
  const repeat = (pattern: string, count: number): RuntimeValue => {
    if (pattern.length * count > maxText) throw new Error(`it repeats more than ${maxText} characters`);
    return text(pattern.repeat(Math.max(0, count)));
  };
  const calculate = (operator: string, left: RuntimeValue, right: RuntimeValue): RuntimeValue | undefined => {
    if (operator === '~') return text(print(left) + print(right));
    const isText = left.type === 'StringValue';
    if (operator === '+' && isText !== (right.type === 'StringValue'))
      throw new Error(`cannot concatenate ${left.type} and ${right.type}`);
    if (operator === '*' && isText && right.type === 'IntegerValue')
      return repeat(left.value as string, right.value as number);
    return operator === '%' ? divide(left, right) : undefined;
  };
  /** A remainder has the sign of the divisor. */
  const divide = (left: RuntimeValue, right: RuntimeValue): RuntimeValue | undefined => {
    if (left.type === 'StringValue')
      return text(
        printf(left.value as string, right.type === 'TupleValue' ? (right.value as RuntimeValue[]) : [right]),
      );
    if (left.type !== 'IntegerValue' || right.type !== 'IntegerValue' || right.value === 0) return undefined;
    const [dividend, divisor] = [left.value as number, right.value as number];
    return integer(((dividend % divisor) + divisor) % divisor);
  };
  const least = (items: readonly RuntimeValue[], sign: number): RuntimeValue => {
    const [first = missing(), ...rest] = items;
    const isLess = (a: unknown, b: unknown): boolean =>
      typeof a === 'string' && typeof b === 'string' ? a < b : Number(a) < Number(b);
    return rest.reduce(
      (best, item) => ((sign > 0 ? isLess(item.value, best.value) : isLess(best.value, item.value)) ? item : best),
      first,
    );
  };
  const choosing: readonly unknown[] = ['select', 'reject', 'selectattr', 'rejectattr', 'map'];
  const filterNothing = (name: unknown, isMissing: boolean): RuntimeValue | undefined => {
    if (choosing.includes(name)) return list([]);
    if (isMissing && (name === 'length' || name === 'count')) return integer(0);
    return isMissing && name === 'list' ? list([]) : undefined;
  };
  const filterList = (name: unknown, items: readonly RuntimeValue[]): RuntimeValue | undefined => {
    if (name === 'min' || name === 'max') return least(items, name === 'min' ? 1 : -1);
    return items.length === 0 && (name === 'first' || name === 'last') ? missing() : undefined;
  };
  const filterWith = (name: unknown, operand: RuntimeValue): RuntimeValue | undefined => {
    if (name === 'string') return text(print(operand));
    if (name === 'trim' && operand.type !== 'StringValue') return text(print(operand).trim());
    const isMissing = operand.type === 'UndefinedValue';
    if (isMissing || operand.type === 'NullValue') return filterNothing(name, isMissing);
    return operand.type === 'ArrayValue' ? filterList(name, operand.value as RuntimeValue[]) : undefined;
  };
  const takeFrom = ({ value }: RuntimeValue, at: number): RuntimeValue => {
    const items = value as RuntimeValue[];
    const [taken] = items.splice(at < 0 ? Math.max(0, items.length + at) : at, 1);
    if (taken === undefined) throw new Error('pop from an empty list, or out of range');
    return taken;
  };
  const methodOfList = (object: RuntimeValue, name: string): RuntimeValue | undefined => {
    const items = object.value as readonly RuntimeValue[];
    const isEqual = (item: RuntimeValue, other: RuntimeValue | undefined): boolean => item.value === other?.value;
    if (name === 'count') return method(([wanted]) => integer(items.filter((item) => isEqual(item, wanted)).length));
    if (name === 'index')
      return method(([wanted]) => {
        const at = items.findIndex((item) => isEqual(item, wanted));
        if (at === -1) throw new Error('the value is not in the list');
        return integer(at);
      });
    if (name === 'pop') return method(([at]) => takeFrom(object, Number(at?.value ?? -1)));
    if (name !== 'append') return undefined;
    return method(([item = missing()]) => {
      (object.value as RuntimeValue[]).push(item);
      return none();
    });
  };
  const methodOf = (object: RuntimeValue, name: string): RuntimeValue | undefined => {
    if (object.type === 'StringValue' && name === 'format')
      return method((args) => text(format(object.value as string, args)));
    if (object.type === 'StringValue') return methodOfText(object.value as string, name);
    if (object.type === 'ArrayValue') return methodOfList(object, name);
    // In Python, the methods of a dictionary precede its keys.
    return object.type === 'ObjectValue' ? object.builtins?.get(name) : undefined;
  };
  /** The same loop with lists instead of tuples, which the package does not unpack. */
  const withLists = (loop: SyntaxNode): SyntaxNode => {
    const { loopvar, iterable } = loop as Loop;
    if (loopvar.type !== 'TupleLiteral' || iterable.type !== 'ArrayLiteral') return loop;
    const toList = (item: SyntaxNode) => (item.type === 'TupleLiteral' ? { ...item, type: 'ArrayLiteral' } : item);
    return { ...loop, iterable: { ...iterable, value: iterable.value?.map(toList) } } as SyntaxNode;
  };
  return { calculate, filterWith, methodOf, withLists };
}

export type PythonOperators = ReturnType<typeof createPythonOperators>;
