// Compares converted checkpoints with the results of llama.cpp's converter: all tensors and all metadata except the names
// that it guesses. Not part of `npm test`, because it needs Python with the packages of the converter:
//
//   LLAMA_CPP=<folder of llama.cpp's source> PYTHON=<python> npm run test:reference

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { convertAdapter } from '../../src/formats/checkpoint/convert-adapter.ts';
import { adapterFiles, checkpoints, writeFiles } from '../support/checkpoints/checkpoints.ts';
import { collectStream, toCheckpointFiles } from '../support/checkpoints/memory-files.ts';
import { openReferenceFolder } from './reference-folder.ts';

const folder = openReferenceFolder();

beforeAll(async () => {
  for (const [name, make] of Object.entries(checkpoints)) {
    writeFiles(folder.at('checkpoints', name), make());
    await folder.convert(name);
  }
  writeFiles(folder.at('adapters', 'lora'), adapterFiles());
  const base = { architecture: 'llama', heads: 4, keyHeads: 2 };
  const adapter = await convertAdapter(toCheckpointFiles(adapterFiles()), { name: 'lora', base });
  writeFileSync(folder.at('ours', 'lora'), await collectStream(adapter));
  folder.convertTheirs();
});
afterAll(() => folder.remove());

describe('the result of llama.cpp is the same', () => {
  test.each([...Object.keys(checkpoints), 'lora'])('%s', async (name) => {
    expect(await folder.read('ours', name)).toEqual(await folder.read('theirs', name));
  });
});
