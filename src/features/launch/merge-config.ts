// Adds values to the text of a configuration file. Everything else in it stays.

import { isDeepStrictEqual } from 'node:util';
import { parse as parseToml, stringify as stringifyToml } from 'smol-toml';
import { type Document, parseDocument } from 'yaml';
import { isObject } from '../../base/json-values.ts';
import type { ConfigFormat, ConfigValue } from './program.ts';

/** A file is an object, or a list of objects. */
type Root = Readonly<Record<string, unknown>> | readonly unknown[];

interface Codec {
  readonly parse: (text: string) => unknown;
  /** `former` is the text that had the value `parse(former)`. */
  readonly stringify: (value: Root, former: string) => string;
}

const codecs: Readonly<Record<ConfigFormat, Codec>> = {
  json: {
    parse: (text) => (text.trim() === '' ? undefined : JSON.parse(text)),
    stringify: (value, former) => `${JSON.stringify(value, null, indentOf(former))}\n`,
  },
  toml: { parse: parseToml, stringify: (value) => stringifyToml(value) },
  yaml: { parse: (text) => parseYaml(text).toJS() ?? undefined, stringify: changeYaml },
};

/**
 * The new text, or undefined if the file has these values. `defaults` are added where the file has no value. Throws if the
 * text has another format or kind.
 */
export function mergeConfigText(
  text: string,
  format: ConfigFormat,
  values: ConfigValue,
  defaults: ConfigValue = undefined,
): string | undefined {
  const { parse, stringify } = codecs[format];
  const isList = Array.isArray(values);
  const parsed = parse(text);
  const former = parsed === undefined ? (isList ? [] : {}) : parsed;
  if (!(isList ? Array.isArray(former) : isObject(former)))
    throw new Error(`it does not contain ${isList ? 'a list' : 'an object'}`);
  const merged = merge(addMissing(former, defaults), values);
  return JSON.stringify(merged) === JSON.stringify(former) ? undefined : stringify(merged as Root, text);
}

/** As the user will see the values in the file. */
export function formatConfig(format: ConfigFormat, values: ConfigValue): string {
  return (mergeConfigText('', format, values) ?? '').trimEnd();
}

function addMissing(former: unknown, defaults: ConfigValue): unknown {
  if (former === undefined || !isObject(defaults)) return former ?? defaults;
  if (!isObject(former)) return former;
  const entries = Object.entries(defaults).map(([key, value]) => [key, addMissing(former[key], value)]);
  return { ...former, ...Object.fromEntries(entries) };
}

function merge(former: unknown, value: ConfigValue): unknown {
  if (Array.isArray(value)) return mergeList(Array.isArray(former) ? former : [], value);
  if (!isObject(value)) return value;
  const merged: Record<string, unknown> = isObject(former) ? { ...former } : {};
  for (const [key, each] of Object.entries(value)) if (each !== undefined) merged[key] = merge(merged[key], each);
  return merged;
}

/** New entries come first: programs prefer the first one. A list of plain values is replaced. */
function mergeList(former: readonly unknown[], values: readonly ConfigValue[]): unknown[] {
  const entries = values.map((value) => merge(undefined, value));
  if (!entries.every(isObject)) return entries;
  const added = entries.filter((entry) => !former.some((each) => isSame(entry, each)));
  return [...added, ...former.map((each) => entries.find((entry) => isSame(entry, each)) ?? each)];
}

// What tells entries apart, in the lists of different programs.
const identities = ['id', 'model_id', 'name'];

function isSame(entry: Readonly<Record<string, unknown>>, other: unknown): boolean {
  const key = identities.find((name) => entry[name] !== undefined);
  return key !== undefined && isObject(other) && other[key] === entry[key];
}

function parseYaml(text: string): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw error;
  return document;
}

/** Only what differs is changed in the document, so that comments stay. */
function changeYaml(value: Root, former: string): string {
  const document = parseYaml(former);
  const change = (path: readonly string[], before: unknown, after: unknown): void => {
    if (isDeepStrictEqual(before, after)) return;
    if (isObject(before) && isObject(after))
      for (const [key, each] of Object.entries(after)) change([...path, key], before[key], each);
    else document.setIn(path, after);
  };
  change([], document.toJS() ?? {}, value);
  // A longer line is not broken.
  return document.toString({ lineWidth: 0 });
}

/** The indentation of the first indented line. */
function indentOf(text: string): string {
  return /^[ \t]+/m.exec(text)?.[0] ?? '  ';
}
