import { expect, test } from 'vitest';
import { writeDocx, writeParagraph } from '../../../../test/support/documents/write-docx.ts';
import { writeZip } from '../../../../test/support/packages/write-zip.ts';
import { readDocx } from './read-docx.ts';

test('headings, paragraphs and tables are read', async () => {
  const cell = (text: string): string => `<w:tc>${writeParagraph(text)}</w:tc>`;
  const table = `<w:tbl><w:tr>${cell('Boat')}${cell('Crew')}</w:tr><w:tr>${cell('Alma')}${cell('4')}</w:tr></w:tbl>`;
  const body = writeParagraph('Harbor', 'Heading1') + writeParagraph('It is &lt;open&gt;.') + table;
  expect(await readDocx(writeDocx(body))).toBe('# Harbor\n\nIt is <open>.\n\nBoat | Crew\nAlma | 4');
});

const lie = { path: 'word/a.xml', content: 'x'.repeat(2 ** 20), declaredSize: 100 };
const huge = { path: 'word/a.xml', content: Buffer.alloc(2 ** 20), declaredSize: 2 ** 20 };

test.each<readonly [name: string, bytes: () => Buffer, reason: string]>([
  ['that expands too much', () => writeDocx('x'.repeat(2 ** 24)), 'expands more than 100 times'],
  ['with a false size', () => writeDocx('', [lie]), 'does not have the size'],
  [
    'with many parts that are large together',
    () =>
      writeDocx(
        '',
        Array.from({ length: 65 }, (_, index) => ({ ...huge, path: `word/${index}.xml` })),
      ),
    'unpacks to more than 64 MiB',
  ],
  ['that overlaps', () => writeDocx('', [{ ...huge, sharesDataOf: 2 }]), 'overlap'],
  ['with deep nesting', () => writeDocx('<w:sdt><w:sdtContent>'.repeat(20_000)), 'no valid DOCX file'],
  [
    'with deep nesting that is closed',
    () => writeDocx(`${'<w:ins>'.repeat(20_000)}${writeParagraph('x')}${'</w:ins>'.repeat(20_000)}`),
    'nested too deeply',
  ],
  ['without XML', () => writeDocx('<<<'), 'no valid DOCX file'],
  ['that ends early', () => writeDocx(writeParagraph('x')).subarray(0, 200), 'no valid DOCX file'],
  ['of another kind', () => writeZip([{ path: 'xl/workbook.xml', content: 'x' }]), 'no Word document'],
  ['with a password', () => writeZip([{ path: 'word/document.xml', content: 'x', flags: 1 }]), 'it is encrypted'],
])('an archive %s is refused', async (_name, bytes, reason) => {
  await expect(readDocx(bytes())).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining(reason),
  });
});

test('entities of XML do not expand', async () => {
  const xml =
    '<!DOCTYPE a [<!ENTITY b "xxxxxxxxxx"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&c;</w:t></w:r></w:p></w:body></w:document>';
  const bytes = writeZip([
    ...['[Content_Types].xml', '_rels/.rels'].map((path) => ({ path, content: '<a/>' })),
    { path: 'word/document.xml', content: xml },
  ]);
  const text = await readDocx(bytes).catch(({ code }) => code as string);
  expect(text).not.toContain('xx');
});
