// The values of templates and their types in Go:
//
//   string, boolean        the same            array             []any
//   number                 float64             plain object      map[string]any
//   bigint                 int                 null, undefined   nil
//
// Go has two kinds of nil, and templates can distinguish them: a field of `null` (a nil entry of a map or list) is an
// error, a field of `undefined` (the result of a pipeline) is undefined.

export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | readonly Value[]
  | { readonly [name: string]: Value };

export type ListValue = readonly Value[];
export type MapValue = { readonly [name: string]: Value };

/** Custom text of a list or map for printing, like String() in Go. */
export const asText: unique symbol = Symbol('asText');
/** Custom JSON of a list or map, for values that are structs in Go, with other names or another order of keys. */
export const asJson: unique symbol = Symbol('asJson');

type ToText = (value: Value) => string;

interface CustomText {
  readonly [asText]?: ToText;
  readonly [asJson]?: ToText;
}

/** A copy with custom text. The functions are called again for the results of `slice`. */
export function withText<T extends ListValue | MapValue>(value: T, texts: { text?: ToText; json?: ToText }): T {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const custom: Record<symbol, ToText> = {};
  if (texts.text) custom[asText] = texts.text;
  if (texts.json) custom[asJson] = texts.json;
  return Object.assign(copy, custom) as unknown as T;
}

export function customText(value: Value, symbol: typeof asText | typeof asJson): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as CustomText)[symbol]?.(value);
}

/** Part of a list, with the custom text of the list. */
export function sliceList(list: ListValue, from: number, to: number): ListValue {
  const part = list.slice(from, to);
  const { [asText]: text, [asJson]: json } = list as CustomText;
  return text || json ? withText(part, { text, json }) : part;
}

type ValueKind = 'nil' | 'bool' | 'string' | 'int' | 'float' | 'list' | 'map';

const kinds: Readonly<Record<string, ValueKind>> = {
  boolean: 'bool',
  string: 'string',
  bigint: 'int',
  number: 'float',
};

export function kindOf(value: Value): ValueKind {
  if (value === null || value === undefined) return 'nil';
  if (typeof value !== 'object') return kinds[typeof value] ?? 'nil';
  return Array.isArray(value) ? 'list' : 'map';
}

const typeNames: Readonly<Record<ValueKind, string>> = {
  nil: '<nil>',
  bool: 'bool',
  string: 'string',
  int: 'int',
  float: 'float64',
  list: '[]interface {}',
  map: 'map[string]interface {}',
};

export function typeNameOf(value: Value): string {
  return typeNames[kindOf(value)];
}

/** Truth as in Go: not empty and not zero. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'number') return value !== 0;
  if (typeof value !== 'object' || value === null) return Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  for (const name in value) if (Object.hasOwn(value, name)) return true;
  return false;
}

/** The value of a key, or null. */
export function entryOf(map: MapValue, name: string): Value {
  return Object.hasOwn(map, name) ? (map[name] ?? null) : null;
}

export function sortedKeys(map: MapValue): string[] {
  return Object.keys(map).sort(compareText);
}

/** Compares by code points, like the bytes in Go. JavaScript compares UTF-16 units, with U+FFFF after U+10000. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = rank(a.charCodeAt(index)) - rank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
