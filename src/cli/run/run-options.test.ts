import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readRunOptions } from './run-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-format-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileWith = (text: string): string => {
  const path = join(folder, `${Math.random()}.json`);
  writeFileSync(path, text);
  return path;
};

test('without flags, word wrap is on and everything else is left to the server', async () => {
  expect(await readRunOptions({})).toEqual({ wordWrap: true, verbose: false, hideThinking: false, insecure: false });
});

test.each([
  [
    { nowordwrap: true, verbose: true, hidethinking: true, insecure: true },
    { wordWrap: false, verbose: true, hideThinking: true, insecure: true },
  ],
  [{ format: 'json' }, { format: 'json' }],
  [{ format: '{"type": "object"}' }, { format: { type: 'object' } }],
  [{ format: fileWith('{"type": "array"}') }, { format: { type: 'array' } }],
  [{ keepalive: '10m' }, { keepAlive: '10m' }],
  [{ keepalive: '-1' }, { keepAlive: -1 }],
  [{ think: true }, { think: true }],
  [{ think: 'false' }, { think: false }],
  [{ think: 'high' }, { think: 'high' }],
  [
    { truncate: 'false', dimensions: '64' },
    { truncate: false, dimensions: 64 },
  ],
])('%j', async (given, options) => {
  expect(await readRunOptions(given)).toMatchObject(options);
});

describe('invalid values are rejected', () => {
  test.each([
    [{ format: join(folder, 'missing.json') }, 'no such file'],
    [{ format: folder }, 'is not a file with a JSON schema'],
    [{ format: fileWith('nonsense') }, 'is not valid JSON'],
    [{ keepalive: 'soon' }, '--keepalive is "soon", but must be a duration'],
    [{ think: 'hard' }, '--think is "hard", but must be one of true, false, low, medium, high, max'],
    [{ truncate: 'perhaps' }, '--truncate is "perhaps", but must be true or false'],
    [{ dimensions: '-1' }, '--dimensions is "-1", but must be an integer'],
  ])('%j', async (given, message) => {
    await expect(readRunOptions(given)).rejects.toThrow(message);
  });
});
