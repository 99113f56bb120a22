// Recognises a format for certain: what findFormat takes a Jinja template for is held against it, with conversations
// rendered through both. Where they differ, the Jinja text is the one that is right.

import { HearthError } from '../../../base/errors.ts';
import { parseTemplate } from '../../go-template/template.ts';
import { renderJinja } from '../jinja/render-jinja.ts';
import type { Message } from '../message.ts';
import { renderMessages } from '../render-prompt.ts';
import type { ChatFormat } from './chat-format.ts';
import { findFormat } from './find-format.ts';

export interface OwnTemplate {
  readonly source: string;
  readonly bosToken: string;
  readonly eosToken: string;
}

const system: Message = { role: 'system', content: 'Say little.' };
const question: Message = { role: 'user', content: 'Who are you?' };
const answer: Message = { role: 'assistant', content: 'A model.' };
const conversations: readonly (readonly Message[])[] = [
  [question],
  [question, answer],
  [question, answer, question],
  [system, question],
  [system, question, answer, question],
];

// Models in use are few, and asked about with every request.
const maxMemory = 32;
const memory = new Map<string, Promise<ChatFormat | undefined>>();

export function recognizeFormat(own: OwnTemplate): Promise<ChatFormat | undefined> {
  const key = JSON.stringify([own.source, own.bosToken, own.eosToken]);
  const known = memory.get(key);
  if (known) return known;
  const recognized = compare(own);
  memory.set(key, recognized);
  recognized.catch(() => memory.delete(key));
  for (const oldest of memory.keys()) if (memory.size > maxMemory) memory.delete(oldest);
  return recognized;
}

async function compare(own: OwnTemplate): Promise<ChatFormat | undefined> {
  const format = findFormat(own.source, own.eosToken);
  if (format === undefined) return undefined;
  for (const messages of conversations) if (!(await isSame(format, own, messages))) return undefined;
  return format;
}

async function isSame(format: ChatFormat, own: OwnTemplate, messages: readonly Message[]): Promise<boolean> {
  const { source, bosToken, eosToken } = own;
  try {
    const text = await renderJinja(source, { messages, bos_token: bosToken, eos_token: eosToken });
    const withoutBos = bosToken !== '' && text.startsWith(bosToken) ? text.slice(bosToken.length) : text;
    return withoutBos === renderMessages(parseTemplate(format.template), { messages, tools: [] });
  } catch (error) {
    if (!(error instanceof HearthError) || error.code !== 'bad_template') throw error;
    // Models that were trained without system messages refuse them; there is nothing to compare with.
    return messages[0] === system;
  }
}
