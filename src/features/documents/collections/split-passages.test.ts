import { expect, test } from 'vitest';
import { splitPassages } from './split-passages.ts';

test('short paragraphs of a page share a passage, and pages do not', () => {
  expect(splitPassages(['One.\n\nTwo\nlines.\n', '', 'Three.'], true)).toEqual([
    { page: 1, start: 0, end: 16, text: 'One.\n\nTwo\nlines.' },
    { page: 3, start: 0, end: 6, text: 'Three.' },
  ]);
});

test('long paragraphs are split between sentences or words, and offsets tell where', () => {
  const sentence = 'Ferries leave the harbor at seven. ';
  const text = `Start.\n\n${sentence.repeat(100)}\n\n${'x'.repeat(3000)}`;
  const passages = splitPassages([text], false);
  for (const { start, end, text: passage } of passages) {
    expect(passage).toBe(text.slice(start, end));
    expect(passage.length).toBeLessThanOrEqual(1200);
    expect(passage).toBe(passage.trim());
  }
  expect(
    passages
      .map((passage) => passage.text)
      .join('')
      .replace(/\s/g, ''),
  ).toBe(text.replace(/\s/g, ''));
  expect(passages[1]?.text).toMatch(/seven\.$/);
  expect(passages[0]).not.toHaveProperty('page', 1);
});

test('a text without paragraphs or spaces takes linear time', () => {
  expect(splitPassages(['\n \n'.repeat(500_000), 'y'.repeat(2 ** 22)], true).length).toBe(Math.ceil(2 ** 22 / 1200));
});
