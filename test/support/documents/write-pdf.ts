// Small PDF files for tests, and hostile ones.

import { constants, deflateRawSync, deflateSync } from 'node:zlib';

interface PdfOptions {
  /** Replaces the number of pages in the tree. */
  readonly count?: number;
  /** The content of every page, instead of its lines. */
  readonly content?: Buffer;
  /** Spaces as the content of every page. */
  readonly bombMegabytes?: number;
  /** Added to the resources of every page. */
  readonly resources?: string;
  /** After those of the pages. */
  readonly objects?: readonly string[];
  /** Added to the trailer. */
  readonly trailer?: string;
}

/** Each page is a list of lines; an empty line is a gap between paragraphs. */
export function writePdf(pages: readonly (readonly string[])[], options: PdfOptions = {}): Buffer {
  const { count = pages.length, resources = '', trailer = '' } = options;
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ');
  const objects: Buffer[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ].map((text) => Buffer.from(text));
  for (const [index, lines] of pages.entries()) {
    const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * index} 0 R`;
    objects.push(Buffer.from(`${page} /Resources << /Font << /F1 3 0 R >> ${resources} >> >>`));
    const { content = toContent(lines), bombMegabytes } = options;
    objects.push(toStream(bombMegabytes === undefined ? deflateSync(content) : packSpaces(bombMegabytes)));
  }
  objects.push(...(options.objects ?? []).map((text) => Buffer.from(text)));
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

/** One page with this text, and a pattern whose forms draw each other four billion times. Only who draws it reads the pattern. */
export function writeEndlessPattern(text: string): Buffer {
  const depth = 8;
  const first = 6;
  const uses = '/X Do '.repeat(16);
  const objects = Array.from({ length: depth }, (_, level) => {
    const next = level + 1 < depth ? `/XObject << /X ${first + level + 1} 0 R >>` : '';
    const kind = level === 0 ? '/PatternType 1 /PaintType 1 /TilingType 1 /XStep 9 /YStep 9' : '/Subtype /Form';
    const content = level + 1 < depth ? uses : '0 0 1 1 re f';
    const head = `${kind} /BBox [0 0 9 9] /Resources << ${next} >> /Length ${content.length}`;
    return `<< ${head} >>\nstream\n${content}\nendstream`;
  });
  const content = Buffer.concat([toContent([text]), Buffer.from(' /Pattern cs /P scn 0 0 99 99 re f')]);
  return writePdf([[]], { content, objects, resources: `/Pattern << /P ${first} 0 R >>` });
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
