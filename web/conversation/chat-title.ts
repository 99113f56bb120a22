// Titles that a model writes.

import type { ChatDocument } from './chat-document.ts';
import { titleFrom } from './chat-document.ts';

const multipliers: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };
const leastParameters = 1e9;

/** Whether a model writes titles worth reading. `parameterSize` is such as "7.6B"; empty if it is not known. */
export function canWriteTitles(parameterSize: string): boolean {
  const [, number = '', unit = ''] = /^([\d.]+)\s*([KMBT])?$/i.exec(parameterSize.trim()) ?? [];
  if (number === '') return true;
  return Number(number) * (multipliers[unit.toUpperCase()] ?? 1) >= leastParameters;
}

/** Whether the title is still the beginning of the first question, and its answer is complete. */
export function needsTitle({ title, messages }: ChatDocument): boolean {
  const [question, answer] = messages;
  if (messages.length !== 2 || question === undefined || answer === undefined) return false;
  const isComplete = answer.request === undefined && answer.error === undefined && answer.content !== '';
  return isComplete && question.content !== '' && title === titleFrom(question.content);
}

const maxQuotedCharacters = 1500;

export function titlePrompt({ messages }: Pick<ChatDocument, 'messages'>): string {
  const [question = '', answer = ''] = messages.map(({ content }) => content.slice(0, maxQuotedCharacters));
  return `Write a title of three to six words for this conversation, in the language of the question. Answer with the title alone.\n\nQuestion: ${question}\n\nAnswer: ${answer}`;
}

/** Models like to add quotation marks, a label, an explanation. Empty if nothing is left. */
export function cleanTitle(text: string): string {
  const line =
    text
      .replace(/^.*<\/think>/s, '')
      .trim()
      .split('\n', 1)[0] ?? '';
  return titleFrom(line.replace(/^[#*\s]*(title\s*:)?/i, '').replace(/^[\s"'“”«»*_`]+|[\s"'“”«»*_`.]+$/g, ''));
}
