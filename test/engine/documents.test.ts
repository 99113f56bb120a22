// Documents that are read in sandboxed processes of their own, and what ends these processes. The unit tests of the
// readers have the other hostile files.

import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.ts';
import { DocumentTexts } from '../../src/features/documents/document-texts.ts';
import { writeDocx, writeParagraph } from '../support/documents/write-docx.ts';
import { writePdf } from '../support/documents/write-pdf.ts';
import { launcher } from '../support/engine.ts';
import { childrenOf } from '../support/processes.ts';
import { repository } from '../support/repository.ts';

const program = {
  script: repository('dist/features/documents/extract/extract-program.js'),
  childSettings: { environment: {}, launcher },
  clock: systemClock,
};
const documents = new DocumentTexts(program);
afterAll(() => documents.close());

const caller = { client: 'test', signal: new AbortController().signal };

test('documents of all types are read', async () => {
  const pdf = writePdf([['One.'], ['Two.']]);
  const sources = [
    { bytes: pdf },
    { bytes: writeDocx(writeParagraph('Harbor', 'Heading1') + writeParagraph('Open.')) },
    { bytes: Buffer.from('<p>One<p>Two'), mediaType: 'text/html' },
  ];
  expect(await Promise.all(sources.map((source) => documents.read(source, caller)))).toEqual([
    { type: 'pdf', pages: ['One.', 'Two.'] },
    { type: 'docx', pages: ['# Harbor\n\nOpen.'] },
    { type: 'html', pages: ['One\n\nTwo'] },
  ]);
  // The text of a document that was read is kept.
  const kept = documents.read({ bytes: pdf }, caller);
  expect(childrenOf(process.pid)).toEqual([]);
  expect(await kept).toEqual({ type: 'pdf', pages: ['One.', 'Two.'] });
});

test('a document that needs too much memory is refused', async () => {
  const bytes = writePdf([['']], { bombMegabytes: 2000 });
  expect(bytes.length).toBeLessThan(4 * 2 ** 20);
  await expect(documents.read({ bytes, name: 'bomb.pdf' }, caller)).rejects.toMatchObject({
    code: 'bad_request',
    message: 'the document "bomb.pdf" cannot be read: it needs too much memory',
  });
});

test('a document that takes too long, or whose request is canceled, is ended with its process', async () => {
  const hasty = new DocumentTexts({ ...program, milliseconds: 1500 });
  const slow = { bytes: writePdf([['']], { content: Buffer.from('BT /F1 1 Tf (a) Tj ET\n'.repeat(1_000_000)) }) };
  const controller = new AbortController();
  const canceled = hasty.read({ ...slow, name: 'a' }, { client: 'other', signal: controller.signal });
  const ended = hasty.read(slow, caller);
  controller.abort();
  await expect(canceled).rejects.toMatchObject({ code: 'cancelled' });
  await expect(ended).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining('took too long') });
  await expect.poll(() => childrenOf(process.pid)).toEqual([]);
});
