// The content of a message: a string, or an array of blocks. A block that is not known here is ignored: clients get new
// kinds of blocks before servers do. Documents in base64 and uploaded files are documents of text by then.

import { isObject } from '../../../../base/json-values.ts';
import { type DocumentContext, type DocumentKind, replaceInMessages } from '../../shared/document-parts.ts';
import { type Fields, invalid, objectOf, stringOf } from '../../shared/read-fields.ts';

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly encodedImage: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  /** A call that the server ran, and its result: both are blocks of an answer. */
  | {
      readonly type: 'mcp_tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'mcp_tool_result';
      readonly id: string;
      readonly isError: boolean;
      readonly content: ContentBlock[];
    }
  | { readonly type: 'tool_result'; readonly id: string; readonly isError: boolean; readonly content: ContentBlock[] };

// A tool result has blocks, and a document in it has blocks too.
const maxDepth = 4;

/** `where` is for error messages. */
export function readBlocks(content: unknown, where: string, depth = 0): ContentBlock[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw invalid(where, 'expected a string or an array of content blocks');
  if (depth > maxDepth) throw invalid(where, 'content blocks are nested too deeply');
  return content.flatMap((block, index) => readBlock(block, { where: `${where}.${index}`, depth }));
}

interface Place {
  readonly where: string;
  readonly depth: number;
}

type BlockReader = (fields: Fields, place: Place) => readonly ContentBlock[];

const readers: Readonly<Record<string, BlockReader>> = {
  text: ({ text }, { where }) => textBlocks(stringOf(text, `${where}.text`)),
  image: ({ source }, { where }) => [{ type: 'image', encodedImage: readImage(source, where) }],
  document: readDocument,
  search_result: ({ title, source, content }, { where, depth }) => [
    ...headings(title, source),
    ...readBlocks(content, `${where}.content`, depth + 1),
  ],
  thinking: ({ thinking }, { where }) => [{ type: 'thinking', thinking: stringOf(thinking, `${where}.thinking`) }],
  tool_use: (fields, place) => [{ type: 'tool_use', ...readCall(fields, place) }],
  mcp_tool_use: (fields, place) => [{ type: 'mcp_tool_use', ...readCall(fields, place) }],
  tool_result: (fields, place) => [{ type: 'tool_result', ...readResult(fields, place) }],
  mcp_tool_result: (fields, place) => [{ type: 'mcp_tool_result', ...readResult(fields, place) }],
};

function readCall({ id, name, input = {} }: Fields, { where }: Place) {
  return {
    id: stringOf(id, `${where}.id`),
    name: stringOf(name, `${where}.name`),
    input: objectOf(input, `${where}.input`),
  };
}

function readResult({ tool_use_id, content, is_error }: Fields, { where, depth }: Place) {
  return {
    id: stringOf(tool_use_id, `${where}.tool_use_id`),
    isError: is_error === true,
    content: readBlocks(content, `${where}.content`, depth + 1),
  };
}

function readBlock(block: unknown, place: Place): readonly ContentBlock[] {
  const fields = objectOf(block, place.where);
  const type = stringOf(fields['type'], `${place.where}.type`);
  return Object.hasOwn(readers, type) ? (readers[type] as BlockReader)(fields, place) : [];
}

function readDocument({ source, title, context }: Fields, { where, depth }: Place): readonly ContentBlock[] {
  const { type, data, content } = objectOf(source, `${where}.source`);
  if (type === 'text') return [...headings(title, context), ...textBlocks(stringOf(data, `${where}.source.data`))];
  if (type === 'content') return [...headings(title, context), ...readBlocks(content, `${where}.source`, depth + 1)];
  throw invalid(where, 'only documents in base64, uploaded files, texts and content blocks are read');
}

const documentBlocks: DocumentKind = {
  isDocument: ({ type, source }) =>
    type === 'document' && isObject(source) && (source['type'] === 'base64' || source['type'] === 'file'),
  read(block, where) {
    const { type, data, media_type: mediaType, file_id: fileId } = objectOf(block['source'], `${where}.source`);
    const name = typeof block['title'] === 'string' ? block['title'] : undefined;
    return {
      document:
        type === 'file'
          ? { fileId: stringOf(fileId, `${where}.source.file_id`), name }
          : {
              base64: stringOf(data, `${where}.source.data`),
              mediaType: typeof mediaType === 'string' ? mediaType : undefined,
              name,
            },
      toPart: (read) => ({ ...block, title: read.name, source: { type: 'text', data: read.text } }),
    };
  },
};

/** The body with the texts of the documents in its messages. */
export function readMessageDocuments<Body extends { readonly messages?: readonly object[] }>(
  body: Body,
  context: DocumentContext,
): Promise<Body> {
  return replaceInMessages(body, documentBlocks, context);
}

function readImage(source: unknown, where: string): string {
  const { type, data } = objectOf(source, `${where}.source`);
  if (type === 'base64') return stringOf(data, `${where}.source.data`);
  throw invalid(where, 'only images with a base64 source are supported; send the image itself');
}

function headings(...texts: readonly unknown[]): ContentBlock[] {
  return texts.flatMap((text) => (typeof text === 'string' ? textBlocks(text) : []));
}

function textBlocks(text: string): ContentBlock[] {
  return text === '' ? [] : [{ type: 'text', text }];
}
