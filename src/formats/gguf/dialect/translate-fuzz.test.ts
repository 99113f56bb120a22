import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { publishedRows } from '../../../../test/support/architectures/published-rows.ts';
import { type TinyModel, writeTinyModel } from '../../../../test/support/architectures/tiny-model.ts';
import { randomNumbers } from '../../../../test/support/models/random-numbers.ts';
import { thoroughly } from '../../../../test/support/thorough.ts';
import { HearthError } from '../../../base/errors.ts';
import { readGgufFile } from '../read-gguf.ts';
import { readDialect, translatedBytes } from './read-dialect.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-dialect-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true }));

const rows = publishedRows().filter(({ row }) => ['qwen3vl', 'mistral3', 'gemma3', 'glmocr'].includes(row));
const path = join(folder, 'damaged.gguf');

/** The numbers of every key and every dimension are replaced by those that break most assumptions. */
async function damage(model: TinyModel, next: () => number): Promise<void> {
  writeTinyModel(path, model);
  const { layout } = await readGgufFile(path);
  const bytes = readFileSync(path);
  const values = [0, 1, 2, 3, 0xff, 0xffff_ffff];
  for (let change = 0; change < 3; change++) {
    const spans = [...layout.entries.values()].filter(({ bytes: length }) => length < 200);
    const span = spans[Math.floor(next() * spans.length)] ?? { offset: 0, bytes: 0 };
    // In the value of a key, or anywhere in the list of tensors.
    const isKey = next() < 0.6;
    const listStart = Math.max(...[...layout.entries.values()].map(({ offset, bytes: length }) => offset + length));
    const place = isKey
      ? span.offset + span.bytes - 4
      : listStart + Math.floor(next() * (layout.headerBytes - listStart - 4));
    bytes.writeUInt32LE(values[Math.floor(next() * values.length)] ?? 0, place);
  }
  writeFileSync(path, bytes);
}

test('damaged headers are translated or refused, and a translated file can be read', async () => {
  const next = randomNumbers(11);
  let translated = 0;
  for (let index = 0; index < thoroughly(2000, 150); index++) {
    const row = rows[index % rows.length];
    await damage(row?.published as TinyModel, next);
    try {
      const { translation } = await readDialect(path, { maxArray: 0 });
      for (const part of ['weights', 'projector'] as const) {
        if (translation?.[part] === undefined) continue;
        const blocks: Buffer[] = [];
        for await (const block of translatedBytes(path, part)) blocks.push(block);
        const target = join(folder, 'translated.gguf');
        writeFileSync(target, Buffer.concat(blocks));
        await readGgufFile(target);
        translated++;
      }
    } catch (error) {
      expect(error).toBeInstanceOf(HearthError);
    }
  }
  expect(translated).toBeGreaterThan(20);
});
