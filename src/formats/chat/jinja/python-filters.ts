// Filters of Jinja for Python that the package lacks, or has for some values only. Like createRender, the function is passed
// as text to the process that renders templates, so it may use only its parameters and the language.

import type { Printf } from './python-printf.ts';
import type { PythonValues } from './python-values.ts';
import type { RuntimeValue } from './render-program.ts';

/** The arguments of a filter, and other filters and tests. */
export interface FilterCall {
  readonly args: readonly RuntimeValue[];
  readonly named: ReadonlyMap<string, RuntimeValue>;
  apply(item: RuntimeValue, name: string, args: readonly RuntimeValue[]): RuntimeValue;
  test(name: string): (value: RuntimeValue, other?: RuntimeValue) => boolean;
}

export function createPythonFilters(
  { text, integer, float, list, missing, print, charactersOf }: PythonValues,
  printf: Printf,
) {
  type Filter = (operand: RuntimeValue, call: FilterCall) => RuntimeValue | undefined;
  const itemsOf = ({ type, value }: RuntimeValue): readonly RuntimeValue[] | undefined => {
    if (type === 'ArrayValue' || type === 'TupleValue') return value as readonly RuntimeValue[];
    if (type === 'StringValue') return charactersOf(value as string);
    return type === 'ObjectValue' ? [...(value as Map<string, RuntimeValue>).keys()].map(text) : undefined;
  };
  /** `a.b` is an attribute of an attribute. */
  const attributeOf = (item: RuntimeValue, path: string): RuntimeValue =>
    path.split('.').reduce((value, name) => {
      const found = value.type === 'ObjectValue' ? (value.value as Map<string, RuntimeValue>).get(name) : undefined;
      return found ?? missing();
    }, item);
  const isTrue = (value: RuntimeValue): boolean => value.__bool__().value === true;
  const select =
    (isWanted: boolean, byAttribute: boolean): Filter =>
    (operand, { args, test }) => {
      const [path, testName, other] = byAttribute ? args : [undefined, ...args];
      const passes = testName === undefined ? isTrue : test(print(testName));
      const toValue = (item: RuntimeValue): RuntimeValue => (path ? attributeOf(item, print(path)) : item);
      const items = itemsOf(operand);
      return items && list(items.filter((item) => passes(toValue(item), other) === isWanted));
    };
  /** The package has the filter for lists. */
  const ofItems =
    (name: string): Filter =>
    (operand, { args, apply }) => {
      const items = operand.type === 'ArrayValue' ? undefined : itemsOf(operand);
      return items && apply(list(items), name, args);
    };
  const add = (left: RuntimeValue, right: RuntimeValue): RuntimeValue => {
    if (left.type === 'ArrayValue' && right.type === 'ArrayValue')
      return list([...(left.value as RuntimeValue[]), ...(right.value as RuntimeValue[])]);
    const sum = Number(left.value) + Number(right.value);
    if (Number.isNaN(sum)) throw new Error('sum() needs numbers or lists');
    return left.type === 'FloatValue' || right.type === 'FloatValue' ? float(sum) : integer(sum);
  };
  const filters: Readonly<Record<string, Filter>> = {
    format: (operand, { args }) =>
      operand.type === 'StringValue' ? text(printf(operand.value as string, args)) : undefined,
    select: select(true, false),
    reject: select(false, false),
    selectattr: select(true, true),
    rejectattr: select(false, true),
    /** `map('upper')`; the package has `map(attribute='a')`. */
    map: (operand, { args: [name, ...args], apply }) =>
      name && list((itemsOf(operand) ?? []).map((item) => apply(item, print(name), args))),
    list: (operand) => {
      const items = itemsOf(operand);
      return items && list([...items]);
    },
    first: ofItems('first'),
    last: ofItems('last'),
    min: ofItems('min'),
    max: ofItems('max'),
    count: (operand) => {
      const items = itemsOf(operand);
      return items && integer(items.length);
    },
    reverse: (operand) =>
      operand.type === 'StringValue'
        ? text(
            Array.from(operand.value as string)
              .reverse()
              .join(''),
          )
        : undefined,
    sum: (operand, { args, named }) => {
      const [attribute = named.get('attribute'), start = named.get('start') ?? integer(0)] = args;
      const toValue = (item: RuntimeValue): RuntimeValue => (attribute ? attributeOf(item, print(attribute)) : item);
      return (itemsOf(operand) ?? []).reduce((sum, item) => add(sum, toValue(item)), start);
    },
    round: (operand, { args, named }) => {
      const digits = Number((args[0] ?? named.get('precision'))?.value ?? 0);
      const scaled = Number(operand.value) * 10 ** digits;
      const nearest = Math.round(scaled);
      // A half goes to the even neighbor.
      const rounded = Math.abs(scaled % 1) === 0.5 && nearest % 2 !== 0 ? nearest - 1 : nearest;
      return float(rounded / 10 ** digits);
    },
    d: (operand, { args, apply }) => apply(operand, 'default', args),
    wordcount: (operand) => integer(print(operand).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0),
  };
  return {
    hasFilter: (name: unknown): name is string => typeof name === 'string' && Object.hasOwn(filters, name),
    filterWithArguments: (name: string, operand: RuntimeValue, call: FilterCall): RuntimeValue | undefined =>
      filters[name]?.(operand, call),
  };
}

export type PythonFilters = ReturnType<typeof createPythonFilters>;
