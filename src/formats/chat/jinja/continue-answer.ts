// The model continues an assistant message at the end, so the prompt must stop before the message's end token. Templates
// have no option for that: a mark after the content shows where to cut the rendered text.

import { HearthError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-values.ts';
import type { JinjaMessage } from './call-ids.ts';

// Private use characters, which no text contains. The blank after the mark shows whether the template trims contents.
const mark = '\u{f8d0}\u{f8d1}\u{f8d0}';
const blank = ' ';

/** Whether the last message is to be continued. A message that calls tools is complete. */
export function endsUnfinished(messages: readonly JinjaMessage[]): boolean {
  const last = messages.at(-1);
  return last?.['role'] === 'assistant' && typeof last['content'] === 'string' && !callsTools(last);
}

export function markEnd(messages: readonly JinjaMessage[]): JinjaMessage[] {
  const last = messages.at(-1) ?? {};
  return [...messages.slice(0, -1), { ...last, content: `${contentOf(last)}${mark}${blank}` }];
}

export function cutAtMark(text: string, messages: readonly JinjaMessage[]): string {
  const end = text.lastIndexOf(mark);
  if (end === -1) {
    throw new HearthError(
      'bad_template',
      'the chat template of the model omits the last assistant message, so it cannot be continued',
    );
  }
  const before = text.slice(0, end);
  if (text.startsWith(blank, end + mark.length)) return before;
  const content = contentOf(messages.at(-1) ?? {});
  return before.slice(0, before.length - (content.length - content.trimEnd().length));
}

function contentOf(message: JinjaMessage): string {
  return typeof message['content'] === 'string' ? message['content'] : '';
}

function callsTools(message: JinjaMessage): boolean {
  const calls = message['tool_calls'];
  return Array.isArray(calls) && calls.some(isObject);
}
