// Adds values to the text of a configuration file. Everything else in it stays.

import { parse as parseToml, stringify as stringifyToml } from 'smol-toml';
import type { ConfigFormat, ConfigValues } from './program.ts';

interface Codec {
  readonly parse: (text: string) => unknown;
  readonly stringify: (value: object, former: string) => string;
}

const codecs: Readonly<Record<ConfigFormat, Codec>> = {
  json: {
    parse: (text) => JSON.parse(text),
    stringify: (value, former) => `${JSON.stringify(value, null, indentOf(former))}\n`,
  },
  toml: { parse: parseToml, stringify: (value) => stringifyToml(value) },
};

/** The new text, or undefined if the file has these values. Throws if the text is not an object in this format. */
export function mergeConfigText(text: string, format: ConfigFormat, values: ConfigValues): string | undefined {
  const { parse, stringify } = codecs[format];
  const former: unknown = text.trim() === '' ? {} : parse(text);
  if (!isObject(former)) throw new Error('it does not contain an object');
  const merged = stringify(merge(former, values), text);
  return merged === stringify(former, text) ? undefined : merged;
}

/** As the user will see the values in the file. */
export function formatConfig(format: ConfigFormat, values: ConfigValues): string {
  return codecs[format].stringify(values, '').trimEnd();
}

function merge(former: Readonly<Record<string, unknown>>, values: ConfigValues): Record<string, unknown> {
  const merged = { ...former };
  for (const [key, value] of Object.entries(values)) {
    const present = former[key];
    merged[key] = typeof value === 'object' && isObject(present) ? merge(present, value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The indentation of the first indented line. */
function indentOf(text: string): string {
  return /^[ \t]+/m.exec(text)?.[0] ?? '  ';
}
