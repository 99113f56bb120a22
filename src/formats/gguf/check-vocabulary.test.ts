import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeGguf } from '../../../test/support/models/write-gguf.ts';
import { checkVocabulary } from './check-vocabulary.ts';
import type { GgufEntry } from './encode-entry.ts';
import { readGgufFile } from './read-gguf.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-vocabulary-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function check(tokens: GgufEntry | undefined, limits?: Parameters<typeof checkVocabulary>[2]): Promise<void> {
  const path = join(folder, 'model.gguf');
  const before: Record<string, GgufEntry> = { 'general.name': { type: 'string', value: 'x' } };
  const after: Record<string, GgufEntry> = { 'general.file_type': { type: 'u32', value: 1 } };
  writeGguf(path, { ...before, ...(tokens && { 'tokenizer.ggml.tokens': tokens }), ...after }, []);
  await checkVocabulary(path, await readGgufFile(path, { maxArray: 0 }), limits);
}

const strings = (...value: readonly string[]): GgufEntry => ({ type: 'strings', value });
const many = Array.from({ length: 20_000 }, (_, index) => `t${index}`);

test.each([
  ['different tokens', strings('a', 'b', 'A', 'ab')],
  ['empty tokens', strings('', 'a', '')],
  ['no token', strings()],
  ['no vocabulary', undefined],
  ['a vocabulary that is not a list of strings', { type: 'i32s', value: [1, 1] } as const],
  ['a vocabulary that is not a list', { type: 'string', value: 'aa' } as const],
])('accepted: %s', async (_, tokens) => {
  await check(tokens);
});

test('a token twice is refused with its positions, wherever it is', async () => {
  const refused = { code: 'bad_request', message: expect.stringContaining('tokens has "t7" twice, at 7 and 20000') };
  await expect(check(strings(...many, 't7'))).rejects.toMatchObject(refused);
  await expect(check(strings('é', 'é'))).rejects.toThrow('has "é" twice, at 0 and 1');
});

test('a vocabulary above the limits is left to the process that loads it', async () => {
  const limits = { checkedTokens: 3, checkedTokenBytes: 1000 };
  await expect(check(strings('a', 'b', 'a'), limits)).rejects.toThrow('twice');
  await check(strings('a', 'b', 'c', 'a'), limits);
  await check(strings('x'.repeat(500), 'x'.repeat(500)), limits);
});

test('other work runs in between', async () => {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  const path = join(folder, 'large.gguf');
  writeGguf(path, { 'tokenizer.ggml.tokens': strings(...many) }, []);
  const header = await readGgufFile(path, { maxArray: 0 });
  const checked = checkVocabulary(path, header);
  count();
  await checked;
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(4);
});
