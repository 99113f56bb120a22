// Recognizes the format of a Jinja template reliably: conversations are rendered through the template and through the
// format that findFormat suggests. If any result differs, the Jinja template itself is used.

import { HearthError } from '../../../base/errors.ts';
import { createLruCache } from '../../../base/lru-cache.ts';
import { runOutsideRequests } from '../../../base/request/request-scope.ts';
import { parseTemplate, type Template } from '../../go-template/template.ts';
import type { JinjaRenderer, JinjaSource } from '../jinja/jinja-renderer.ts';
import type { Message } from '../message.ts';
import { renderMessages } from '../render-prompt.ts';
import type { ChatFormat } from './chat-format.ts';
import { findFormat } from './find-format.ts';

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

const maxCached = 32;

/** Undefined: the template has none of the known formats. */
type RecognizeFormat = (jinja: JinjaSource) => Promise<ChatFormat | undefined>;

/** Every request needs the format of its model, so results are cached. */
export function createRecognizeFormat(renderer: Pick<JinjaRenderer, 'render'>): RecognizeFormat {
  const cache = createLruCache<Promise<ChatFormat | undefined>>(maxCached);
  return (jinja) => {
    const key = JSON.stringify([jinja.source, jinja.bosToken, jinja.eosToken]);
    // Other requests use the result, so the end of this one must not cancel it.
    const recognized = cache.getOrCreate(key, () => runOutsideRequests(() => compare(jinja, renderer)));
    // Only a render process that fails rejects; the next request tries again.
    recognized.catch(() => cache.delete(key));
    return recognized;
  };
}

async function compare(jinja: JinjaSource, renderer: Pick<JinjaRenderer, 'render'>): Promise<ChatFormat | undefined> {
  const format = findFormat(jinja.source, jinja.eosToken);
  if (format === undefined) return undefined;
  const template = parseTemplate(format.template);
  const render = (messages: readonly Message[]): Promise<string> => renderWithoutBos(jinja, messages, renderer);
  for (const messages of conversations) if (!(await isSame(template, messages, render))) return undefined;
  return format;
}

async function renderWithoutBos(
  { source, bosToken, eosToken }: JinjaSource,
  messages: readonly Message[],
  renderer: Pick<JinjaRenderer, 'render'>,
): Promise<string> {
  const text = await renderer.render(source, { messages, bos_token: bosToken, eos_token: eosToken });
  return bosToken !== '' && text.startsWith(bosToken) ? text.slice(bosToken.length) : text;
}

async function isSame(
  template: Template,
  messages: readonly Message[],
  render: (messages: readonly Message[]) => Promise<string>,
): Promise<boolean> {
  try {
    return (await render(messages)) === renderMessages(template, { messages, tools: [] });
  } catch (error) {
    if (!(error instanceof HearthError) || error.code !== 'bad_template') throw error;
    // Templates of models that were trained without system messages reject them, so there is nothing to compare.
    return messages[0] === system;
  }
}
