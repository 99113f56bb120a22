import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type PublishedRow, publishedRows } from '../../../../test/support/architectures/published-rows.ts';
import { bytesOf, type TinyModel, writeTinyModel } from '../../../../test/support/architectures/tiny-model.ts';
import { readGguf } from '../read-gguf.ts';
import { readDialect, readLayout, type TranslatedPart, translatedBytes } from './read-dialect.ts';
import { TranslatedSource } from './translated-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-dialect-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, model: TinyModel): string {
  const path = join(folder, `${name}.gguf`);
  writeTinyModel(path, model);
  return path;
}

async function translated(path: string, part: TranslatedPart): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for await (const block of translatedBytes(path, part)) blocks.push(block);
  return Buffer.concat(blocks);
}

/** The file has the keys and tensors of the model, and no other tensors. */
async function expectModel(bytes: Buffer, { keys, tensors }: TinyModel): Promise<void> {
  const gguf = await readGguf({ size: bytes.length, readHead: async (length) => bytes.subarray(0, length) });
  for (const [key, { value }] of Object.entries(keys)) {
    const expected = typeof value === 'object' ? Array.from(value as ArrayLike<unknown>) : value;
    const got = gguf.metadata.get(key);
    const rounded = (item: unknown): unknown => (typeof item === 'number' ? Math.fround(item) : item);
    expect(Array.isArray(got) ? got.map(rounded) : rounded(got), key).toEqual(
      Array.isArray(expected) ? expected.map(rounded) : rounded(expected),
    );
  }
  expect(gguf.tensors.map(({ name }) => name).sort()).toEqual(tensors.map(({ name }) => name).sort());
  for (const tensor of tensors) {
    const found = gguf.tensors.find(({ name }) => name === tensor.name);
    expect([found?.type.name, found?.shape], tensor.name).toEqual([tensor.type, tensor.shape]);
    const data = bytes.subarray(found?.offset, (found?.offset ?? 0) + (found?.bytes ?? 0));
    expect(data.equals(bytesOf(tensor)), tensor.name).toBe(true);
  }
}

const rows = publishedRows();

describe.each(rows.map((row) => [row.name, row] as const))(
  '%s',
  (name, { row, plain, projector, published }: PublishedRow) => {
    test('becomes the file that llama.cpp expects', async () => {
      const path = write(name, published);
      expect((await readDialect(path)).translation?.row).toBe(row);
      await expectModel(await translated(path, 'weights'), plain);
      if (projector !== undefined) await expectModel(await translated(path, 'projector'), projector);
      for (const part of ['weights', ...(projector === undefined ? [] : (['projector'] as const))] as const) {
        const again = join(folder, `${name}-${part}-translated.gguf`);
        writeFileSync(again, await translated(path, part));
        expect((await readDialect(again)).translation, `${part} is translated once`).toBeUndefined();
      }
    });

    test('is the same when it is read in parts', async () => {
      const path = write(name, published);
      const whole = await translated(path, 'weights');
      const source = new TranslatedSource(path, await readLayout(path, 'weights'));
      expect(source.bytes).toBe(whole.length);
      for (const [start, length] of [
        [0, 100],
        [whole.length - 50, 200],
        [5000, 70_000],
        [whole.length - 1, 1],
      ] as const) {
        const target = Buffer.alloc(length);
        const count = source.read(start, target);
        expect(target.subarray(0, count).equals(whole.subarray(start, start + length))).toBe(true);
      }
      expect(source.read(whole.length, Buffer.alloc(1))).toBe(0);
      source.close();
    });

    test("is left alone in llama.cpp's dialect", async () => {
      const { translation } = await readDialect(write(`${name}-plain`, plain), { maxArray: 10 });
      expect(translation).toBeUndefined();
    });
  },
);
