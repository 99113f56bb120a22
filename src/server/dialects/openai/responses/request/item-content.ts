// The content of an item: a string, or an array of parts. A part that is not known here is ignored: clients get new kinds
// of parts before servers do.

import { type Fields, invalid, objectOf, stringOf } from '../../../shared/read-fields.ts';
import { type MessageContent, readImage } from '../../chat/message-content.ts';

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
  input_file: readFile,
};

function readPart(part: unknown, where: string): ReadPart {
  const fields = objectOf(part, where);
  const type = stringOf(fields['type'], `${where}.type`);
  return Object.hasOwn(readers, type) ? (readers[type] as PartReader)(fields, where) : {};
}

const textFile = /^data:(?:text\/[\w.+-]{1,100}|application\/(?:json|xml))(?:;charset=utf-8)?;base64,/i;

function readFile({ file_data, filename }: Fields, where: string): ReadPart {
  const [head] = typeof file_data === 'string' ? (textFile.exec(file_data) ?? []) : [];
  if (head === undefined) throw invalid(where, 'only text files in data URLs are supported; send the text of the file');
  const text = Buffer.from((file_data as string).slice(head.length), 'base64').toString('utf8');
  return { text: typeof filename === 'string' && filename !== '' ? `${filename}\n\n${text}` : text };
}
