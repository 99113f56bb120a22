// HTML → text: blocks are paragraphs, headings and list items are marked as in Markdown, cells of a row share a line.

import { Parser } from 'htmlparser2';
import { badRequest } from '../../../base/errors.ts';
import { documentLimits } from '../document-limits.ts';

// What a reader does not see.
const hidden = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'math',
  'iframe',
  'object',
  'select',
  'head',
]);
const blocks = new Set(
  [
    'address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form',
    'h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody tfoot thead tr ul title',
  ].flatMap((names) => names.split(' ')),
);
// Between two of these is an empty line.
const paragraphs = new Set([
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'pre',
  'table',
  'blockquote',
  'ul',
  'ol',
  'title',
]);
const headings: Readonly<Record<string, string>> = { h1: '# ', h2: '## ', h3: '### ', h4: '#### ', title: '# ' };

/** Throws `bad_request` if the text is too long or the elements are nested too deeply. */
export function htmlToText(html: string): string {
  const reader = new HtmlReader();
  const parser = new Parser(
    {
      onopentag: (name, { alt }) => reader.open(name, alt),
      ontext: (text) => reader.text(text),
      onclosetag: (name) => reader.close(name),
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return reader.end();
}

class HtmlReader {
  readonly #writer = new TextWriter();
  #depth = 0;
  /** The elements that a reader does not see, outermost first. */
  readonly #hidden: string[] = [];
  /** Whether the text is the title of the page, which is in its hidden head. */
  #isTitle = false;
  /** Whether the row has a cell: blocks in cells break no lines. */
  #isInRow = false;

  open(name: string, alt: string | undefined): void {
    this.#depth++;
    if (this.#depth > documentLimits.depth) throw badRequest(`more than ${documentLimits.depth} elements are nested`);
    if (hidden.has(name)) this.#hidden.push(name);
    if (name === 'title' && this.#hidden.every((outer) => outer === 'head')) this.#isTitle = true;
    if (!this.#isVisible()) return;
    if (name === 'td' || name === 'th') this.#startCell();
    else this.#breakAround(name);
    if (name === 'br') this.#writer.breakLine(false);
    if (name === 'pre') this.#writer.preserved++;
    if (name === 'img' && alt) this.#writer.text(alt);
    const mark = name === 'li' ? '- ' : headings[name];
    if (mark !== undefined) this.#writer.mark(mark);
  }

  text(text: string): void {
    if (this.#isVisible()) this.#writer.text(text);
  }

  close(name: string): void {
    this.#depth--;
    if (hidden.has(name)) this.#hidden.pop();
    if (!this.#isVisible()) return;
    if (name === 'pre') this.#writer.preserved--;
    this.#breakAround(name);
    if (name === 'title') this.#isTitle = false;
  }

  end(): string {
    return this.#writer.end();
  }

  #isVisible(): boolean {
    return this.#hidden.length === 0 || this.#isTitle;
  }

  #startCell(): void {
    if (this.#isInRow) this.#writer.text(' | ');
    this.#isInRow = true;
  }

  #breakAround(name: string): void {
    if (name === 'tr' || name === 'table') this.#isInRow = false;
    if (blocks.has(name) && !this.#isInRow) this.#writer.breakLine(paragraphs.has(name));
  }
}

class TextWriter {
  /** How many elements around the text keep its white space. */
  preserved = 0;
  readonly #parts: string[] = [];
  #length = 0;
  /** Line ends before the next text: none, one, or two for an empty line. */
  #breaks = 0;
  #hasSpace = false;
  #mark = '';

  breakLine(isParagraph: boolean): void {
    // A paragraph in a list item follows its mark.
    if (this.#mark !== '') return;
    this.#breaks = Math.max(this.#breaks, isParagraph ? 2 : 1);
    this.#hasSpace = false;
  }

  /** Written before the next text. */
  mark(mark: string): void {
    this.#mark = mark;
  }

  text(text: string): void {
    const written = this.preserved > 0 ? text : text.replace(/[ \t\n\r\f]{2,}|[\t\n\r\f]/g, ' ');
    const trimmed = this.preserved > 0 ? written : written.trim();
    if (trimmed === '') {
      this.#hasSpace ||= written !== '';
      return;
    }
    if (this.#breaks > 0 && this.#length > 0) this.#write('\n'.repeat(this.#breaks));
    else if ((this.#hasSpace || written.startsWith(' ')) && this.#length > 0) this.#write(' ');
    this.#breaks = 0;
    this.#write(this.#mark + trimmed);
    this.#mark = '';
    this.#hasSpace = this.preserved === 0 && written.endsWith(' ');
  }

  end(): string {
    return this.#parts.join('').trim();
  }

  #write(text: string): void {
    this.#length += text.length;
    if (this.#length > documentLimits.characters)
      throw badRequest(`its text has more than ${documentLimits.characters} characters`);
    this.#parts.push(text);
  }
}
