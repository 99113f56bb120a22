// Compares the template engine with Go: every case of cases.json must render to the text in golden.json.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { HearthError } from '../../src/base/errors.ts';
import { renderTree } from '../../src/formats/go-template/evaluator.ts';
import { toGoJson } from '../../src/formats/go-template/functions/json-text.ts';
import { parseTree } from '../../src/formats/go-template/parse/parser.ts';
import { defaultLimits } from '../../src/formats/go-template/values/limits.ts';
import { type ListValue, type MapValue, type Value, withText } from '../../src/formats/go-template/values/values.ts';

interface Case {
  readonly name: string;
  readonly template: string;
  readonly data?: Value;
  /** The minor version of Go 1 that first behaves like this. */
  readonly since?: number;
}

const folder = fileURLToPath(new URL('template/', import.meta.url));
const readJson = (name: string): unknown => JSON.parse(readFileSync(`${folder}${name}`, 'utf8'));
const cases = readJson('cases.json') as readonly Case[];
const golden = readJson('golden.json') as Readonly<Record<string, string | null>>;

const now = new Date(2024, 2, 1, 12).getTime();

/** JSON has neither integers nor texts of their own: {"$int": 3} and {"$speaking": …} stand for them. */
function revive(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(revive);
  const map = value as MapValue;
  if (typeof map['$int'] === 'number') return BigInt(map['$int']);
  if (map['$speaking'] !== undefined)
    return withText(revive(map['$speaking']) as ListValue | MapValue, { text: (self) => toGoJson(self) });
  return Object.fromEntries(Object.entries(map).map(([key, item]) => [key, revive(item)]));
}

/** The text, or null where the template fails, as it stands in golden.json. */
function render({ template, data }: Case): string | null {
  try {
    return renderTree({ tree: parseTree(template), data: revive(data), limits: defaultLimits, now });
  } catch (error) {
    expect(error).toBeInstanceOf(HearthError);
    expect((error as HearthError).code).toBe('bad_template');
    expect((error as HearthError).message).toMatch(/^template: \d+:\d+: /);
    return null;
  }
}

describe('templates render as in Go', () => {
  test.each(cases.map((entry) => [entry.name, entry] as const))('%s', (name, entry) => {
    expect(render(entry)).toBe(golden[name]);
  });

  test('cases and golden texts correspond', () => {
    expect(Object.keys(golden).sort()).toEqual(cases.map(({ name }) => name).sort());
  });
});

const version = /go1\.(\d+)/.exec(spawnSync('go', ['version'], { encoding: 'utf8' }).stdout ?? '')?.[1];
if (version === undefined) console.log('go is not installed: golden.json is not held against it');

test.skipIf(version === undefined)('golden.json is what the Go of this machine says', () => {
  const { stdout, stderr, status } = spawnSync('go', ['run', 'main.go'], { cwd: folder, encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  const known = cases.filter(({ since = 0 }) => since <= Number(version)).map(({ name }) => name);
  expect(JSON.parse(stdout)).toEqual(Object.fromEntries(known.map((name) => [name, golden[name]])));
});
