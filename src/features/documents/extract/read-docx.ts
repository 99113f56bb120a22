// DOCX → text. The file is an archive, which the strict reader checks before the library unpacks it.

import mammoth from 'mammoth';
import { badRequest, HearthError, messageOf } from '../../../base/errors.ts';
import { readZip } from '../../../formats/archive/read-zip.ts';
import { documentLimits } from '../document-limits.ts';
import { htmlToText } from './read-html.ts';

/** Throws `bad_request`. */
export async function readDocx(bytes: Buffer): Promise<string> {
  await checkArchive(bytes);
  try {
    // Images are not read.
    const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
    const { value } = await mammoth.convertToHtml({ buffer: bytes }, { convertImage });
    return htmlToText(value);
  } catch (error) {
    if (error instanceof HearthError) throw error;
    throw badRequest(
      error instanceof RangeError
        ? 'its elements are nested too deeply'
        : `it is no valid DOCX file: ${messageOf(error)}`,
    );
  }
}

/** The parts that have text must have the sizes that the directory states, and their sum is bounded. */
async function checkArchive(bytes: Buffer): Promise<void> {
  const read = async (position: number, length: number): Promise<Buffer> => bytes.subarray(position, position + length);
  try {
    const archive = await readZip({ size: bytes.length, read });
    const texts = archive.entries.filter(({ path }) => /\.(?:xml|rels)$/i.test(path));
    const unpacked = texts.reduce((sum, { size }) => sum + size, 0);
    if (unpacked > documentLimits.unpackedBytes)
      throw badRequest(`it unpacks to more than ${documentLimits.unpackedBytes / 2 ** 20} MiB`);
    if (!texts.some(({ path }) => path === 'word/document.xml'))
      throw badRequest('it is an archive, but no Word document');
    await archive.extract(new Set(texts.map(({ path }) => path)), async (_entry, content) => {
      for await (const _ of content);
    });
  } catch (error) {
    const { code, message } = error as HearthError;
    if (code !== 'registry_invalid_response') throw error;
    throw badRequest(`it is no valid DOCX file: ${message.replace(/^[^:]*: /, '')}`);
  }
}
