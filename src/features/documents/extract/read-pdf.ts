// PDF → the text of each page.

import { getDocument, VerbosityLevel } from 'unpdf/pdfjs';
import { badRequest, HearthError, messageOf } from '../../../base/errors.ts';
import { documentLimits } from '../document-limits.ts';

interface TextItem {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly height: number;
  /** The last value is the distance from the bottom of the page. */
  readonly transform: readonly number[];
}

/** Throws `bad_request`. */
export async function readPdf(bytes: Uint8Array): Promise<string[]> {
  try {
    return await readPages(bytes);
  } catch (error) {
    if (error instanceof HearthError) throw error;
    const isEncrypted = error instanceof Error && error.name === 'PasswordException';
    throw badRequest(
      isEncrypted ? 'it is encrypted; save it without a password' : `it is no valid PDF file: ${messageOf(error)}`,
    );
  }
}

async function readPages(bytes: Uint8Array): Promise<string[]> {
  const document = await getDocument({
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    useWorkerFetch: false,
    verbosity: VerbosityLevel.ERRORS,
  }).promise;
  const { numPages } = document;
  if (numPages > documentLimits.pages)
    throw badRequest(`it has ${numPages} pages; at most ${documentLimits.pages} are read`);
  const pages: string[] = [];
  let length = 0;
  for (let number = 1; number <= numPages; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = toPageText(items.filter((item): item is TextItem & typeof item => 'str' in item));
    length += text.length;
    if (length > documentLimits.characters)
      throw badRequest(`its text has more than ${documentLimits.characters} characters`);
    pages.push(text);
    page.cleanup();
  }
  if (length === 0) throw badRequest('it has no text; its pages may be scans, which can be sent as images');
  return pages;
}

// Lines of a paragraph are closer together than this many times their height.
const maxLineDistance = 1.8;

/** An empty line is written between paragraphs. */
function toPageText(items: readonly TextItem[]): string {
  const parts: string[] = [];
  let last: TextItem | undefined;
  let isNewLine = false;
  for (const item of items) {
    if (item.str !== '') {
      if (isNewLine && last !== undefined) parts.push(areClose(last, item) ? '\n' : '\n\n');
      parts.push(item.str);
      isNewLine = false;
      // A space has no height.
      if (item.str.trim() !== '') last = item;
    }
    isNewLine ||= item.hasEOL;
  }
  return parts.join('').trim();
}

function areClose(above: TextItem, below: TextItem): boolean {
  const distance = Math.abs((above.transform[5] ?? 0) - (below.transform[5] ?? 0));
  return distance <= maxLineDistance * Math.max(above.height, below.height);
}
