import { expect, test } from 'vitest';
import { decodeText, readAttachment, toBase64, toDataAddress } from './attachment.ts';

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

test('an image becomes base64', async () => {
  const attachment = await readAttachment(new File([png], 'a.png', { type: 'image/png' }));
  expect(attachment).toEqual({ kind: 'image', name: 'a.png', base64: 'iVBORw0KGgo=' });
});

test('any other file is read as text', async () => {
  expect(await readAttachment(new File(['a = 1\n'], 'a.py'))).toEqual({ kind: 'text', name: 'a.py', text: 'a = 1\n' });
  const drawing = new File(['<svg/>'], 'a.svg', { type: 'image/svg+xml' });
  expect(await readAttachment(drawing)).toMatchObject({ kind: 'text', text: '<svg/>' });
});

test('binary and large files are refused with a sentence', async () => {
  await expect(readAttachment(new File([png], 'a.bin'))).rejects.toThrow('a.bin is neither an image nor a text file.');
  const large = new File(['x'.repeat(2 ** 20 + 1)], 'large.txt');
  await expect(readAttachment(large)).rejects.toThrow('large.txt is larger than 1 MiB.');
});

test('a text with a zero is binary', () => {
  expect(decodeText(new TextEncoder().encode('a\0b').buffer as ArrayBuffer)).toBeUndefined();
});

test('many bytes become base64', () => {
  const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => index % 256);
  const decoded = Uint8Array.from(atob(toBase64(bytes)), (character) => character.charCodeAt(0));
  expect(decoded).toEqual(bytes);
});

test.each([
  ['/9j/4AAQ', 'jpeg'],
  ['UklGRiQA', 'webp'],
  ['iVBORw0K', 'png'],
])('an image that begins with %s', (base64, type) => {
  expect(toDataAddress(base64)).toBe(`data:image/${type};base64,${base64}`);
});
