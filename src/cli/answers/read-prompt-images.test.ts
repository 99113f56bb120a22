import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readPromptImages } from './read-prompt-images.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-images-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'a.png');
writeFileSync(path, 'image');

const eyes = { model: 'eyes', facts: { capabilities: ['completion' as const, 'vision' as const] } };
const blind = { model: 'blind', facts: { capabilities: ['completion' as const] } };

test('a model with vision gets the image', async () => {
  const { text, images, notes } = await readPromptImages(`What is ${path}`, eyes);
  expect({ text, images, notes }).toEqual({
    text: 'What is',
    images: [Buffer.from('image').toString('base64')],
    notes: [`Added image '${path}'`],
  });
});

test('an image for a model without vision is an error with the next step', async () => {
  await expect(readPromptImages(`What is ${path}`, blind)).rejects.toThrow(
    `'blind' cannot see the image '${path}': use a model with vision, such as ember-eyes, or leave out the name of the file`,
  );
});

test('a name without a file is text; a model without vision needs no note', async () => {
  const prompt = `Write ${folder}/none.png`;
  expect(await readPromptImages(prompt, blind)).toEqual({ text: prompt, images: [], notes: [] });
  expect((await readPromptImages(prompt, eyes)).notes).toEqual([expect.stringContaining('not found')]);
});

test('a folder with the name of an image is an error', async () => {
  await expect(readPromptImages(`${path}/x.png`, eyes)).resolves.toMatchObject({ images: [] });
});
