// Documents among the parts of messages. They become parts of text before a request is converted, because reading them
// takes time.

import { isObject } from '../../../base/json-values.ts';
import type { RequestScope } from '../../../base/request/request-scope.ts';
import type { CarriedDocument, NamedText, ReadDocument } from '../../services/documents/read-document.ts';
import { type Fields, invalid } from './read-fields.ts';

interface DocumentPart {
  readonly document: CarriedDocument;
  /** The part in its place. */
  toPart(read: NamedText): Fields;
}

/** How a dialect writes documents. */
export interface DocumentKind {
  isDocument(part: Fields): boolean;
  /** `where` is for error messages. */
  read(part: Fields, where: string): DocumentPart;
}

/** In one request. The text is bounded like that of a message. */
const limits = { documents: 64, characters: 8 * 2 ** 20 };
// A tool result has parts, too.
const maxDepth = 2;

/** How the documents of a request are read. */
export interface DocumentContext {
  /** Absent: the server reads none, and its parts stay as they are. */
  readonly readDocument: ReadDocument | undefined;
  readonly scope: RequestScope;
}

/** The body with texts in place of the documents in its messages. The same value if there are none. */
export async function replaceInMessages<Body extends { readonly messages?: readonly object[] }>(
  body: Body,
  kind: DocumentKind,
  context: DocumentContext,
): Promise<Body> {
  const { messages = [] } = body;
  const replaced = await new DocumentParts(kind, context).replaceIn(messages, () => 'content', 'messages');
  return replaced === messages ? body : { ...body, messages: replaced };
}

export class DocumentParts {
  readonly #kind: DocumentKind;
  readonly #context: DocumentContext;
  #count = 0;
  #characters = 0;

  constructor(kind: DocumentKind, context: DocumentContext) {
    this.#kind = kind;
    this.#context = context;
  }

  /** The messages with texts in place of the documents in a field. The same value if there are none. */
  async replaceIn<Message extends object>(
    messages: readonly Message[],
    fieldOf: (message: Message) => string,
    where: string,
  ): Promise<readonly Message[]> {
    const hasDocument = (message: Message): boolean => this.#hasDocument((message as Fields)[fieldOf(message)], 0);
    if (this.#context.readDocument === undefined || !messages.some(hasDocument)) return messages;
    const replaced = [...messages];
    for (const [index, message] of messages.entries()) {
      if (!hasDocument(message)) continue;
      const field = fieldOf(message);
      const content = (message as Fields)[field] as unknown[];
      replaced[index] = { ...message, [field]: await this.#replace(content, `${where}.${index}.${field}`, 0) };
    }
    return replaced;
  }

  #hasDocument(content: unknown, depth: number): boolean {
    if (!Array.isArray(content) || depth === maxDepth) return false;
    return content.some(
      (part) => isObject(part) && (this.#kind.isDocument(part) || this.#hasDocument(part['content'], depth + 1)),
    );
  }

  async #replace(content: readonly unknown[], where: string, depth: number): Promise<unknown[]> {
    const parts: unknown[] = [];
    for (const [index, part] of content.entries())
      parts.push(isObject(part) ? await this.#replacePart(part, `${where}.${index}`, depth) : part);
    return parts;
  }

  async #replacePart(part: Fields, where: string, depth: number): Promise<Fields> {
    if (!this.#kind.isDocument(part)) {
      const { content } = part;
      if (!this.#hasDocument(content, depth + 1)) return part;
      return { ...part, content: await this.#replace(content as unknown[], `${where}.content`, depth + 1) };
    }
    this.#count++;
    if (this.#count > limits.documents) throw invalid(where, `a request may have ${limits.documents} documents`);
    const { document, toPart } = this.#kind.read(part, where);
    const { readDocument, scope } = this.#context;
    const read = await (readDocument as ReadDocument)(document, scope);
    this.#characters += read.text.length;
    if (this.#characters > limits.characters)
      throw invalid(where, `the texts of all documents have more than ${limits.characters} characters`);
    return toPart(read);
  }
}

const dataUrl = /^data:([^;,]{0,255})(?:;[^;,]{1,255}){0,10};base64,/i;

/** OpenAI's fields for a file: a data URL or plain base64, or the id of an uploaded file. */
export function readFileFields({ file_data, file_id, filename }: Fields, where: string): CarriedDocument {
  const name = typeof filename === 'string' ? filename : undefined;
  if (typeof file_id === 'string') return { fileId: file_id, name };
  if (typeof file_data !== 'string')
    throw invalid(where, 'expected file_data or file_id; files by URL are not read, send the file itself');
  const [head = '', mediaType] = dataUrl.exec(file_data) ?? [];
  return { base64: file_data.slice(head.length), mediaType, name };
}
