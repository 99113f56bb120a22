import { expect, test, vi } from 'vitest';
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

test('documents are read by the server', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    return Response.json({ type: 'pdf', pages: 2, characters: 5, text: 'Text.' });
  });
  const attachment = await readAttachment(new File(['%PDF-1.7'], 'a b.pdf'));
  expect(attachment).toEqual({ kind: 'text', name: 'a b.pdf', text: 'Text.', pages: 2 });
  expect(asked).toEqual(['/api/documents/text?name=a%20b.pdf']);
  const error = { error: 'the document cannot be read', code: 'bad_request' };
  vi.stubGlobal('fetch', async () => Response.json(error, { status: 400 }));
  await expect(readAttachment(new File(['PK\x03\x04'], 'a.docx'))).rejects.toThrow('the document cannot be read');
  vi.unstubAllGlobals();
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
