import { expect, test } from 'vitest';
import { writeEndlessPattern, writePdf } from '../../../../test/support/documents/write-pdf.ts';
import { readPdf } from './read-pdf.ts';

test('each page is a text, with its paragraphs', async () => {
  const first = ['The harbor (old) opens at six.', 'Boats leave at seven.', '', 'Tickets cost 4 crowns.'];
  expect(await readPdf(writePdf([first, [], ['Page three.']]))).toEqual([
    'The harbor (old) opens at six.\nBoats leave at seven.\n\nTickets cost 4 crowns.',
    '',
    'Page three.',
  ]);
});

const good = writePdf([['Some text.']]);
const text = '(12345678901234567890123456789012)';
const key = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${text} /U ${text} /P -4 >> /ID [(1234567890123456) (1234567890123456)]`;

test.each<readonly [name: string, bytes: Buffer, reason: string]>([
  ['too many pages', writePdf(Array.from({ length: 2001 }, () => ['x'])), 'it has 2001 pages; at most 2000 are read'],
  ['a password', writePdf([['Text.']], { trailer: key }), 'it is encrypted'],
  ['an early end', good.subarray(0, 40), 'it is no valid PDF file: '],
  ['no objects', Buffer.from('%PDF-1.7\n'), 'it is no valid PDF file: '],
  ['no text', writePdf([[]]), 'it has no text'],
])('a file with %s is refused', async (_name, bytes, reason) => {
  await expect(readPdf(bytes)).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining(reason) });
});

test('a false number of pages does not matter', async () => {
  expect(await readPdf(writePdf([['Text.']], { count: 1e9 }))).toEqual(['Text.']);
});

test('objects that refer to each other end', async () => {
  const loop = good.toString('latin1').replace('/Kids [4 0 R]', '/Kids [2 0 R]');
  await expect(readPdf(Buffer.from(loop, 'latin1'))).rejects.toMatchObject({ code: 'bad_request' });
});

test.each<readonly [name: string, trailer: string]>([
  // The place of the table does not depend on what follows it.
  ['at its own place', `/Prev ${/startxref\n(\d+)/.exec(writePdf([['Text.']]).toString('latin1'))?.[1]}`],
  ['at the start of the file', '/Prev 0'],
  ['before the start of the file', '/Prev -1'],
  ['behind the end of the file', '/Prev 999999999'],
])('a table of objects whose earlier version is %s ends', async (_name, trailer) => {
  const read = await readPdf(writePdf([['Text.']], { trailer })).catch(({ code }) => code);
  expect([['Text.'], 'bad_request']).toContainEqual(read);
});

test('forms that draw each other end', async () => {
  const form = (draws: number) =>
    `<< /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${draws} 0 R >> >> /Length 5 >>\nstream\n/X Do\nendstream`;
  const content = Buffer.from('BT /F1 9 Tf (Text.) Tj ET /X Do');
  const loop = writePdf([[]], { content, objects: [form(7), form(6)], resources: '/XObject << /X 6 0 R >>' });
  expect(await readPdf(loop)).toEqual(['Text.']);
});

test('what only a picture of the page needs is not read', async () => {
  expect(await readPdf(writeEndlessPattern('Text.'))).toEqual(['Text.']);
});

test('a file that ends anywhere is read or refused', async () => {
  for (let length = 10; length < good.length; length += 29) {
    const pages = await readPdf(good.subarray(0, length)).catch(({ code }) => code);
    expect([['Some text.'], 'bad_request']).toContainEqual(pages);
  }
});
