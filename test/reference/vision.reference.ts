// Image encoders of checkpoints that transformers wrote: converted to projectors as llama.cpp's converter does. Needs what the
// comparison of text models needs. HEARTH_REFERENCE_FAMILIES names some of them.

import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFiles } from '../support/checkpoints/checkpoints.ts';
import { publishedSpecials } from '../support/checkpoints/reference-tokenizers.ts';
import { bytePairFiles } from '../support/checkpoints/tokenizers.ts';
import { visionCheckpoints } from '../support/checkpoints/vision-checkpoints.ts';
import { openReferenceFolder } from './reference-folder.ts';

const folder = openReferenceFolder();
const chosen = (process.env['HEARTH_REFERENCE_FAMILIES'] ?? '').split(' ').filter((name) => name !== '');

writeFiles(folder.at('tokenizers'), bytePairFiles({ pre: 'qwen2', specials: publishedSpecials }));
folder.runPython('write_vision_models.py', folder.root, ...chosen);
for (const [name, make] of Object.entries(visionCheckpoints))
  writeFiles(folder.at('checkpoints', `${name}-forms`), make());
const names = readdirSync(folder.at('checkpoints'));

const failures = new Map<string, unknown>();
beforeAll(async () => {
  for (const name of names) {
    await folder.convert(name).catch((error: unknown) => failures.set(name, error));
    await folder.convertProjector(name).catch((error: unknown) => failures.set(`${name}.mmproj`, error));
  }
  folder.convertTheirs();
  folder.convertTheirProjectors();
});
afterAll(() => folder.remove());

// Gemma has another tokenizer; its text model is compared in convert.reference.ts.
const withText = names.filter((name) => !name.startsWith('gemma'));

describe.each(names)('%s', (name) => {
  test.each([
    ...(withText.includes(name) ? [['text model', name] as const] : []),
    ['projector', `${name}.mmproj`] as const,
  ])('the %s is that of llama.cpp', async (_, file) => {
    if (failures.has(file)) throw failures.get(file);
    expect(await folder.read('ours', file)).toEqual(await folder.read('theirs', file));
  });
});
