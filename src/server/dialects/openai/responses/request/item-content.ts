// The content of an item: a string, or an array of parts. A part that is not known here is ignored: clients get new kinds
// of parts before servers do. Files are texts by then.

import { quoteDocument } from '../../../../services/documents/document-text.ts';
import {
  type DocumentContext,
  type DocumentKind,
  DocumentParts,
  readFileFields,
} from '../../../shared/document-parts.ts';
import { type Fields, invalid, objectOf, stringOf } from '../../../shared/read-fields.ts';
import { type MessageContent, readAudio, readImage } from '../../chat/message-content.ts';
import type { InputItem } from './input-items.ts';

/** `where` is for error messages. */
export function readItemContent(content: unknown, where: string): MessageContent {
  if (content === undefined || content === null) return { text: '', encodedImages: [] };
  if (typeof content === 'string') return { text: content, encodedImages: [] };
  if (!Array.isArray(content)) throw invalid(where, 'expected a string or an array of parts');
  const parts = content.map((part, index) => readPart(part, `${where}.${index}`));
  return {
    text: parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n\n'),
    encodedImages: parts.flatMap(({ image }) => (image === undefined ? [] : [image])),
  };
}

interface ReadPart {
  readonly text?: string;
  readonly image?: string;
}

type PartReader = (fields: Fields, where: string) => ReadPart;

const readText: PartReader = ({ text }, where) => ({ text: stringOf(text, `${where}.text`) });

const readers: Readonly<Record<string, PartReader>> = {
  input_text: readText,
  output_text: readText,
  text: readText,
  summary_text: readText,
  reasoning_text: readText,
  refusal: ({ refusal }, where) => ({ text: stringOf(refusal, `${where}.refusal`) }),
  input_image({ image_url }, where) {
    if (image_url === undefined || image_url === null)
      throw invalid(where, 'only images in data URLs are supported; send the image itself');
    return { image: readImage(image_url) };
  },
  input_audio: ({ input_audio: audio }) => ({ image: readAudio(audio) }),
  input_file(_fields, where) {
    throw invalid(where, 'this server reads no documents; send the text of the file');
  },
};

function readPart(part: unknown, where: string): ReadPart {
  const fields = objectOf(part, where);
  const type = stringOf(fields['type'], `${where}.type`);
  return Object.hasOwn(readers, type) ? (readers[type] as PartReader)(fields, where) : {};
}

const fileParts: DocumentKind = {
  isDocument: ({ type }) => type === 'input_file',
  read: (part, where) => ({
    document: readFileFields(part, where),
    toPart: ({ name, text }) => ({ type: 'input_text', text: quoteDocument(name, text) }),
  }),
};

/** The items with the texts of their files. What is stored keeps the files. */
export function readItemFiles(items: readonly InputItem[], context: DocumentContext): Promise<readonly InputItem[]> {
  const fieldOf = ({ type }: InputItem): string => (type.endsWith('_output') ? 'output' : 'content');
  return new DocumentParts(fileParts, context).replaceIn(items, fieldOf, 'input');
}
