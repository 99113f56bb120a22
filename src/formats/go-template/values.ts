// The values that templates work on, as Go sees them:
//
//   string, boolean        the same            array             []any
//   number                 float64             plain object      map[string]any
//   bigint                 int                 null, undefined   nil
//
// Go has two kinds of nothing, and templates can tell them apart: a field of `null` (an empty place in a map or list)
// is an error, a field of `undefined` (what a pipeline makes of it) is nothing again.

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

/** Lists and maps can have a text of their own for printing, as Go's String() gives one. */
export const asText: unique symbol = Symbol('asText');
/** And a JSON text of their own, for what is a struct in Go and has its keys in another case or order. */
export const asJson: unique symbol = Symbol('asJson');

export type ToText = (value: Value) => string;

interface Voiced {
  readonly [asText]?: ToText;
  readonly [asJson]?: ToText;
}

/** A copy that has a text of its own. The functions are asked anew for what `slice` makes of it. */
export function withText<T extends ListValue | MapValue>(value: T, voice: { text?: ToText; json?: ToText }): T {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const voices: Record<symbol, ToText> = {};
  if (voice.text) voices[asText] = voice.text;
  if (voice.json) voices[asJson] = voice.json;
  return Object.assign(copy, voices) as unknown as T;
}

export function ownText(value: Value, voice: typeof asText | typeof asJson): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Voiced)[voice]?.(value);
}

/** Part of a list, with the voice of the whole. */
export function sliceList(list: ListValue, from: number, to: number): ListValue {
  const part = list.slice(from, to);
  const { [asText]: text, [asJson]: json } = list as Voiced;
  return text || json ? withText(part, { ...(text && { text }), ...(json && { json }) }) : part;
}

export type Kind = 'nil' | 'bool' | 'string' | 'int' | 'float' | 'list' | 'map';

const kinds: Readonly<Record<string, Kind>> = { boolean: 'bool', string: 'string', bigint: 'int', number: 'float' };

export function kindOf(value: Value): Kind {
  if (value === null || value === undefined) return 'nil';
  if (typeof value !== 'object') return kinds[typeof value] ?? 'nil';
  return Array.isArray(value) ? 'list' : 'map';
}

const typeNames: Readonly<Record<Kind, string>> = {
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

/** Go's truth: not empty, not zero. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'number') return value !== 0;
  if (typeof value !== 'object' || value === null) return Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  for (const name in value) if (Object.hasOwn(value, name)) return true;
  return false;
}

/** The value of a key, null where there is none. */
export function entryOf(map: MapValue, name: string): Value {
  return Object.hasOwn(map, name) ? (map[name] ?? null) : null;
}

export function sortedKeys(map: MapValue): string[] {
  return Object.keys(map).sort(compareText);
}

/** By code points, which is the order of Go's bytes; JavaScript's own has U+FFFF behind U+10000. */
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
