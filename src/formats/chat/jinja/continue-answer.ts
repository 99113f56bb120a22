// An assistant's message at the end is a beginning that the model goes on from, so its end marker must not be in the
// prompt. Templates cannot be asked for that: a mark behind the content shows where to cut what they rendered.

import { HearthError } from '../../../base/errors.ts';
import { isRecord, type JinjaMessage } from './jinja-message.ts';

// Characters for private use: nobody's text. The blank behind it shows whether the template trims contents.
const mark = '\u{f8d0}\u{f8d1}\u{f8d0}';
const blank = ' ';

/** Whether the last message is one to go on from. One that calls tools is finished. */
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
      "the chat template of the model leaves out the assistant's last message, so it cannot be continued",
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
  return Array.isArray(calls) && calls.some(isRecord);
}
