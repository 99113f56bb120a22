// Types and texts that need no process. A process that cannot start stands for the others.

import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { detectType } from './detect-type.ts';
import { DocumentTexts } from './document-texts.ts';

const documents = new DocumentTexts({ script: '/nowhere', childSettings: {}, clock: createFakeClock() });
const caller = { client: 'a', signal: new AbortController().signal };
const pdf = Buffer.from('  %PDF-1.4');
const zip = Buffer.from('PK\x03\x04');
const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

test.each([
  [{ bytes: pdf }, 'pdf'],
  [{ bytes: pdf, name: 'a.txt' }, 'pdf'],
  [{ bytes: zip, mediaType: docx }, 'docx'],
  [{ bytes: Buffer.from('<p>'), name: 'A.HTML' }, 'html'],
  [{ bytes: Buffer.from('<p>'), mediaType: 'text/html; charset=utf-8' }, 'html'],
  [{ bytes: Buffer.from('\n<!DOCTYPE html>') }, 'html'],
  [{ bytes: Buffer.from('<!DOCTYPE html>'), name: 'page.tsx' }, 'text'],
  [{ bytes: Buffer.from('<!DOCTYPE html>'), mediaType: 'text/plain' }, 'text'],
  [{ bytes: Buffer.from('a,b'), name: 'a.csv' }, 'text'],
  [{ bytes: Buffer.from('# a') }, 'text'],
])('%j is %s', (source, type) => {
  expect(detectType(source)).toBe(type);
});

test.each([
  ['UTF-8', Buffer.from('\ufeffa,ä\r\nb,€\r\n'), 'a,ä\nb,€\n'],
  ['UTF-16', Buffer.from('\ufeffa,ä', 'utf16le'), 'a,ä'],
  ['the code page of Windows', Buffer.from([0x61, 0x2c, 0xe4, 0x2c, 0x80]), 'a,ä,€'],
])('a text in %s is decoded', async (_name, bytes, text) => {
  expect(await documents.read({ bytes, name: 'a.csv' }, caller)).toEqual({ type: 'text', pages: [text] });
});

const random = Buffer.from(Array.from({ length: 999 }, (_, index) => (index * 37) % 256));

test.each<readonly [bytes: Buffer, name: string | undefined, reason: string]>([
  [Buffer.alloc(0), 'a.txt', 'the document "a.txt" cannot be read: it is empty'],
  [random, undefined, 'the document cannot be read: it is neither a text nor a PDF or DOCX file'],
  [Buffer.from('hello'), 'a.pdf', 'it is no PDF file'],
  [Buffer.from('hello'), 'a.docx', 'it is no DOCX file'],
  [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'a.doc', 'save it as DOCX or PDF'],
  [Buffer.alloc(2 ** 25 + 1, 'a'), 'a.txt', 'it has more than 32 MiB'],
  [Buffer.alloc(2 ** 23 + 1, 'a'), 'a.txt', 'more than 8388608 characters'],
])('%#: other bytes are refused', async (bytes, name, reason) => {
  await expect(documents.read({ bytes, name }, caller)).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining(reason),
  });
});
