// Compares converted checkpoints with the results of llama.cpp's converter: all tensors and all metadata except the names
// that it guesses. Not part of `npm test`, because it needs Python with the packages of the converter:
//
//   LLAMA_CPP=<folder of llama.cpp's source> PYTHON=<python> npm run test:reference

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { convertAdapter } from '../../src/formats/checkpoint/convert-adapter.ts';
import { convertCheckpoint } from '../../src/formats/checkpoint/convert-checkpoint.ts';
import { type Gguf, readGgufFile } from '../../src/formats/gguf/read-gguf.ts';
import { adapterFiles, checkpoints, writeFiles } from '../support/checkpoints/checkpoints.ts';
import { collectStream, toCheckpointFiles } from '../support/checkpoints/memory-files.ts';
import { repository } from '../support/repository.ts';

const llamaCpp = process.env['LLAMA_CPP'];
const python = process.env['PYTHON'] ?? 'python3';
const folder = mkdtempSync(join(tmpdir(), 'hearth-reference-'));
const at = (kind: string, name: string): string => join(folder, kind, name);

beforeAll(async () => {
  if (llamaCpp === undefined) throw new Error('set LLAMA_CPP to the folder of the source of llama.cpp');
  for (const kind of ['ours', 'theirs']) mkdirSync(join(folder, kind));
  for (const [name, make] of Object.entries(checkpoints)) {
    const files = make();
    writeFiles(at('checkpoints', name), files);
    const converted = await convertCheckpoint(toCheckpointFiles(files), { name });
    writeFileSync(at('ours', name), await collectStream(converted));
  }
  writeFiles(at('adapters', 'lora'), adapterFiles());
  const base = { architecture: 'llama', heads: 4, keyHeads: 2 };
  const adapter = await convertAdapter(toCheckpointFiles(adapterFiles()), { name: 'lora', base });
  writeFileSync(at('ours', 'lora'), await collectStream(adapter));
  execFileSync(python, [repository('test/reference/convert.py'), llamaCpp, folder], { stdio: 'inherit' });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Guessed from the name of the folder. */
const guessed = new Set(['general.name', 'general.basename', 'general.finetune', 'general.version']);

const metadataOf = ({ metadata }: Gguf) =>
  Object.fromEntries([...metadata].filter(([key]) => !guessed.has(key)).sort(([a], [b]) => (a < b ? -1 : 1)));
const tensorsOf = ({ tensors }: Gguf, file: Buffer) =>
  tensors.map(({ name, shape, type, offset, bytes }) => ({
    name,
    shape,
    type: type.name,
    data: file.subarray(offset, offset + bytes).toString('base64'),
  }));

describe('the result of llama.cpp is the same', () => {
  test.each([...Object.keys(checkpoints), 'lora'])('%s', async (name) => {
    const read = async (kind: string) => {
      const gguf = await readGgufFile(at(kind, name));
      return { metadata: metadataOf(gguf), tensors: tensorsOf(gguf, readFileSync(at(kind, name))) };
    };
    expect(await read('ours')).toEqual(await read('theirs'));
  });
});
