// The file of a conversation. Its first line has what a list shows, so that a list does not read the texts.
//
//   {"version":1,"summary":{…},
//   "content":{…}}

import type { Stats } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { isCount } from '../../../base/json-values.ts';
import type { ChatContent, ChatSummary, StoredChat } from './stored-chat.ts';

type ChatFile = Omit<StoredChat, 'id'>;

// The title, the folder and the name of the model have limits of their own, which are lower.
const maxFirstLine = 8192;

export function encodeChat({ summary, content }: ChatFile): string {
  return `{"version":1,"summary":${JSON.stringify(summary)},\n"content":${JSON.stringify(content)}}\n`;
}

/** Rejects with ENOENT, or with `store_damaged`. */
export async function readChatFile(path: string): Promise<ChatFile> {
  return decodeChat(`the file ${path}`, await readFile(path, 'utf8'));
}

/** Throws `store_damaged`. `place` is for the message. */
export function decodeChat(place: string, text: string): ChatFile {
  return decode(place, text, ({ summary, content }) => {
    if (typeof content !== 'object' || content === null) throw new Error('it has no content');
    return { summary: checkSummary(summary), content: content as ChatContent };
  });
}

/** What the first line says, and the state of the file before it was read. Rejects like `readChatFile`. */
export async function readFirstLine(path: string): Promise<{ readonly summary: ChatSummary; readonly info: Stats }> {
  const file = await open(path, 'r');
  try {
    const info = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxFirstLine), 0, maxFirstLine, 0);
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split(',\n', 1);
    return { summary: decode(`the file ${path}`, `${line}}`, ({ summary }) => checkSummary(summary)), info };
  } finally {
    await file.close();
  }
}

interface Fields {
  readonly version?: unknown;
  readonly summary?: unknown;
  readonly content?: unknown;
}

/** The summary of a conversation alone, as JSON. Throws `store_damaged`. */
export function decodeSummary(place: string, text: string): ChatSummary {
  return decode(place, `{"version":1,"summary":${text}}`, ({ summary }) => checkSummary(summary));
}

/** The file may have been edited by hand or damaged. */
function decode<Result>(place: string, text: string, read: (fields: Fields) => Result): Result {
  try {
    const fields = JSON.parse(text) as Fields | null;
    if (fields?.version !== 1) throw new Error('it is no conversation');
    return read(fields);
  } catch (error) {
    const message = `${place} cannot be used: ${messageOf(error)}`;
    throw new HearthError('store_damaged', message, { cause: error });
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
// The last time that a date can have.
const maxTime = 8.64e15;
const isTime = (value: unknown): boolean => isCount(value) && (value as number) <= maxTime;

const summaryFields: Readonly<Record<keyof ChatSummary, (value: unknown) => boolean>> = {
  title: isText,
  model: isText,
  messages: isCount,
  createdAt: isTime,
  updatedAt: isTime,
  revision: isCount,
  pinned: (value) => value === undefined || value === true,
  folder: (value) => value === undefined || isText(value),
  link: (value) => value === undefined || isText(value),
};

function checkSummary(value: unknown): ChatSummary {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  for (const [name, check] of Object.entries(summaryFields))
    if (!check(fields[name])) throw new Error(`${name} is missing or wrong`);
  return fields as unknown as ChatSummary;
}
