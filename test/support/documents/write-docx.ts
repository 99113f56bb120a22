// Small DOCX files for tests.

import { writeZip, type ZipFile } from '../packages/write-zip.ts';

const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
const officeDocument = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
const contentTypes = 'http://schemas.openxmlformats.org/package/2006/content-types';
const mainType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
const wordNamespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** `body` is the content of w:body. `extra` files come last. */
export function writeDocx(body: string, extra: readonly ZipFile[] = []): Buffer {
  const files = {
    '[Content_Types].xml': `<Types xmlns="${contentTypes}"><Override PartName="/word/document.xml" ContentType="${mainType}"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${relationships}"><Relationship Id="r1" Type="${officeDocument}" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<w:document xmlns:w="${wordNamespace}"><w:body>${body}</w:body></w:document>`,
  };
  const written = Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) }));
  return writeZip([...written, ...extra]);
}

/** `style`, such as Heading1. */
export function writeParagraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t>${text}</w:t></w:r></w:p>`;
}
