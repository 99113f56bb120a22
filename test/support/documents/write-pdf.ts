// Small PDF files for tests, and hostile ones.

import { constants, deflateRawSync, deflateSync } from 'node:zlib';

interface PdfOptions {
  /** Replaces the number of pages in the tree. */
  readonly count?: number;
  /** The content of every page, instead of its lines. */
  readonly content?: Buffer;
  /** Spaces as the content of every page. */
  readonly bombMegabytes?: number;
  /** Added to the trailer. */
  readonly trailer?: string;
}

/** Each page is a list of lines; an empty line is a gap between paragraphs. */
export function writePdf(pages: readonly (readonly string[])[], options: PdfOptions = {}): Buffer {
  const { count = pages.length, trailer = '' } = options;
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ');
  const objects: Buffer[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ].map((text) => Buffer.from(text));
  for (const [index, lines] of pages.entries()) {
    const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * index} 0 R`;
    objects.push(Buffer.from(`${page} /Resources << /Font << /F1 3 0 R >> >> >>`));
    const { content = toContent(lines), bombMegabytes } = options;
    objects.push(toStream(bombMegabytes === undefined ? deflateSync(content) : packSpaces(bombMegabytes)));
  }
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = 9;
  for (const [index, object] of objects.entries()) {
    const written = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    offsets.push(length);
    length += written.length;
    parts.push(written);
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

function toContent(lines: readonly string[]): Buffer {
  const shown = lines.map((line) => `(${line.replace(/[()\\]/g, '\\$&')}) Tj 0 -14 Td`);
  return Buffer.from(`BT /F1 12 Tf 72 720 Td ${shown.join('\n')} ET`);
}

/** A flushed part of compressed data can be repeated, so that the test does not compress it all. */
function packSpaces(megabytes: number): Buffer {
  const part = deflateRawSync(Buffer.alloc(2 ** 20, ' '), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...new Array<Buffer>(megabytes).fill(part), deflateRawSync('')]);
}

function toStream(packed: Buffer): Buffer {
  const head = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')]);
}
