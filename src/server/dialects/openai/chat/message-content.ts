// The content of a message: a string, or an array of text, image and audio parts. Files are texts by then.

import { HearthError } from '../../../../base/errors.ts';
import { checkEncodedAudio } from '../../../../inference/model/read-media.ts';
import { quoteDocument } from '../../../services/documents/document-text.ts';
import {
  type DocumentContext,
  type DocumentKind,
  readFileFields,
  replaceInMessages,
} from '../../shared/document-parts.ts';
import { objectOf } from '../../shared/read-fields.ts';

export interface MessageContent {
  readonly text: string;
  /** Images and recordings, in base64; not checked yet. */
  readonly encodedImages: readonly string[];
}

interface Part {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly image_url?: unknown;
  readonly input_audio?: unknown;
}

/** `mayBeEmpty`: assistant messages with tool calls may have no content. */
export function readContent(content: unknown, mayBeEmpty: boolean): MessageContent {
  if (typeof content === 'string') return { text: content, encodedImages: [] };
  if ((content === undefined || content === null) && mayBeEmpty) return { text: '', encodedImages: [] };
  if (!Array.isArray(content)) {
    const shown = content === undefined || content === null ? 'nothing' : `a ${typeof content}`;
    throw new HearthError(
      'bad_request',
      `invalid message content type: ${shown}; expected a string or an array of parts`,
    );
  }
  const parts = content.map(readPart);
  return {
    text: parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n\n'),
    encodedImages: parts.flatMap(({ image }) => (image === undefined ? [] : [image])),
  };
}

function readPart(part: unknown): { readonly text?: string; readonly image?: string } {
  const fields = (typeof part === 'object' && part !== null ? part : {}) as Part;
  const { type, text, refusal, image_url: image, input_audio: audio } = fields;
  if ((type === 'text' || type === 'input_text') && typeof text === 'string') return { text };
  if (type === 'refusal' && typeof refusal === 'string') return { text: refusal };
  if (type === 'image_url') return { image: readImage(image) };
  if (type === 'input_audio') return { image: readAudio(audio) };
  throw new HearthError('bad_request', 'invalid message format: a part must be text, image_url, input_audio or file');
}

/** The base64 text of `{ data, format }`. The file itself says what it is. */
export function readAudio(audio: unknown): string {
  const { data } = (typeof audio === 'object' && audio !== null ? audio : {}) as { readonly data?: unknown };
  if (typeof data !== 'string') throw new HearthError('bad_request', 'invalid audio input: expected input_audio.data');
  return checkEncodedAudio(data);
}

const fileParts: DocumentKind = {
  isDocument: ({ type }) => type === 'file',
  read: ({ file }, where) => ({
    document: readFileFields(objectOf(file, `${where}.file`), `${where}.file`),
    toPart: ({ name, text }) => ({ type: 'text', text: quoteDocument(name, text) }),
  }),
};

/** The body with the texts of the files in its messages. */
export function readMessageFiles<Body extends { readonly messages?: readonly object[] }>(
  body: Body,
  context: DocumentContext,
): Promise<Body> {
  return replaceInMessages(body, fileParts, context);
}

const dataUrl = /^data:(?:image\/(?:jpeg|jpg|png|webp|gif|bmp))?;base64,/;

/** The base64 text of a data URL, given as a string or as `{ url }`. */
export function readImage(image: unknown): string {
  const url = typeof image === 'object' && image !== null ? (image as { url?: unknown }).url : image;
  if (typeof url !== 'string') throw new HearthError('bad_request', 'invalid image input');
  const [head] = dataUrl.exec(url) ?? [];
  if (head !== undefined) return url.slice(head.length);
  const reason = /^https?:/i.test(url)
    ? 'image URLs are not currently supported, please use base64 encoded data instead'
    : 'invalid image input: expected a data URL of a PNG, JPEG, WebP, GIF or BMP image';
  throw new HearthError('bad_request', reason);
}
