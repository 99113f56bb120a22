// Holds Hearth's renderers and parsers against recorded ones.

import { isDeepStrictEqual } from 'node:util';
import { type Message, type Tool, tagImages } from '../../../src/formats/chat/message.ts';
import { findParser } from '../../../src/formats/chat/parsers/find-parser.ts';
import { findRenderer } from '../../../src/formats/chat/renderers/find-renderer.ts';
import type { AnswerParts } from '../../../src/formats/chat/tool-calls/tool-call.ts';
import type { ThinkOption } from '../../../src/models/think.ts';
import type { ReadAnswer } from './collect-cases.ts';
import type {
  RecordedAnswer,
  RecordedMessage,
  RecordedParts,
  RecordedPrompt,
  RecordedThink,
  RecordedTool,
} from './recording.ts';

const shownBefore = 40;
const shownLength = 200;

/** Undefined if they are equal, otherwise where they differ. */
export function comparePrompt(name: string, recorded: RecordedPrompt): string | undefined {
  const { messages, tools, think, text, error } = recorded;
  const given = messages.map(toMessage);
  // Models without vision get no images.
  const tagged = text.includes('[img-') ? tagImages(given, { isRendered: true }).messages : given;
  const difference = (hearth: string): string => {
    const at = [...text].findIndex((_, index) => text[index] !== hearth[index]);
    const from = Math.max(0, (at === -1 ? text.length : at) - shownBefore);
    const shown = {
      ollama: error || text.slice(from, from + shownLength),
      hearth: hearth.slice(from, from + shownLength),
    };
    return describe({ ...shown, messages, think, tools: tools.map((tool) => tool.function) });
  };
  let rendered: string | undefined;
  try {
    rendered = findRenderer(name)?.render({ messages: tagged, tools: tools.map(toTool), think: toThink(think) });
  } catch (reason) {
    return error === '' ? difference(String(reason)) : undefined;
  }
  if (rendered === undefined) return 'there is no such renderer';
  const isEqual = rendered === text || (withRandomOrder.includes(name) && sortLines(rendered) === sortLines(text));
  return error === '' && isEqual ? undefined : difference(rendered);
}

/** Ollama writes some fields of a tool in the random order of a map. */
const withRandomOrder = ['qwen3-coder'];
const sortLines = (text: string): string => text.split('\n').sort().join('\n');

/** Why a reading differs from Ollama's. None of them is a fault. */
export const reasons = {
  tag: 'Ollama loses the end of an answer that could be the start of a tag',
  header: 'Ollama loses an answer of gpt-oss that has no header',
  prefill: 'Ollama shows the headers of gpt-oss in an answer that continues a message',
  call: 'Ollama answers with an error because a call is not valid; its text is content here',
} as const;

export type Reason = keyof typeof reasons;

export interface AnswerComparison {
  /** `different`: for none of the reasons. */
  readonly result: 'equal' | Reason | 'different';
  readonly difference: string;
}

/** Compares what all cuts of a text are read as with the readings of Ollama. */
export function compareAnswer(name: string, recorded: ReadAnswer): AnswerComparison {
  const readings = recorded.readings.filter(({ error }) => error === '').map(toParts);
  const all = cut(recorded.text).map((pieces) => ({ pieces, parts: readPieces(name, recorded, pieces) }));
  const first = all[0]?.parts;
  const other = all.find(({ parts }) => !isDeepStrictEqual(parts, first));
  const { think, lastMessage, tools, done } = recorded;
  const context = { think, lastMessage, tools: tools.map((tool) => tool.function.name), done };
  const compared = (result: AnswerComparison['result']): AnswerComparison => ({
    result,
    difference: describe({
      text: recorded.text,
      hearth: first,
      other,
      ollama: recorded.readings.map(toShown),
      ...context,
    }),
  });
  if (first === undefined || other !== undefined) return compared('different');
  if (readings.some((reading) => isDeepStrictEqual(reading, first))) return compared('equal');
  const [found = 'different'] = Object.entries(checks).flatMap(([reason, explains]) =>
    explains(readings, first, recorded) ? [reason as Reason] : [],
  );
  return compared(found);
}

/** Whether a reason explains what Hearth reads, beside what Ollama reads without an error. */
type Check = (readings: readonly AnswerParts[], parts: AnswerParts, recorded: ReadAnswer) => boolean;

const checks: Readonly<Record<Reason, Check>> = {
  tag: (readings, parts, recorded) => readings.some((reading) => losesTag(reading, parts, recorded)),
  header: (readings, { content, calls }, { name, text }) =>
    name === 'harmony' && content === text && calls.length === 0 && readings.some((one) => textOf(one) === ''),
  prefill: (readings, parts, { name, lastMessage, tokens }) => {
    const shows = (one: AnswerParts): boolean => tokens.some((token) => textOf(one).includes(token));
    return name === 'harmony' && lastMessage?.role === 'assistant' && readings.every(shows) && !shows(parts);
  },
  call: (readings, parts, { text }) => {
    const [all, kept] = [text, textOf(parts)].map((one) => one.replace(/\s|<\/?think>/g, ''));
    return readings.length === 0 && parts.calls.length === 0 && (kept as string).endsWith((all as string).slice(-10));
  },
};

const textOf = ({ thinking, content }: AnswerParts): string => thinking + content;

const toParts = ({ thinking, content, calls }: RecordedParts): AnswerParts => ({
  thinking,
  content,
  calls: calls.map(({ function: { name, arguments: args } }) => ({ name, arguments: args })),
});
const toShown = (parts: RecordedParts) => (parts.error === '' ? toParts(parts) : parts.error);

function losesTag(reading: AnswerParts, parts: AnswerParts, { text, tokens }: RecordedAnswer): boolean {
  if (!isDeepStrictEqual(parts.calls, reading.calls)) return false;
  const [before, after] = [textOf(reading), textOf(parts)];
  const end = after.slice(before.length);
  const isStart = tokens.some((token) => token.startsWith(end.trimStart()));
  return before !== '' && after.startsWith(before) && isStart && text.endsWith(end);
}

/** The whole text, its characters, and two pieces. */
function cut(text: string): readonly (readonly string[])[] {
  const positions = [...text.slice(0, 200)].map((_, index) => index);
  return [[text], [...text], ...positions.map((at) => [text.slice(0, at), text.slice(at)])];
}

function readPieces(name: string, recorded: RecordedAnswer, pieces: readonly string[]): AnswerParts | undefined {
  const { tools, think, lastMessage, done } = recorded;
  const parser = findParser(name)?.open({
    tools: tools.map(toTool),
    think: toThink(think),
    ...(lastMessage === null ? {} : { lastMessage: toMessage(lastMessage) }),
  });
  if (parser === undefined) return undefined;
  const parts = [...pieces.map((piece) => parser.push(piece)), ...(done ? [parser.finish({ isCut: false })] : [])];
  return {
    thinking: parts.map(({ thinking }) => thinking).join(''),
    content: parts.map(({ content }) => content).join(''),
    calls: parts
      .flatMap(({ calls }) => calls)
      .map(({ name: called, arguments: args }) => ({ name: called, arguments: { ...args } })),
  };
}

function describe(difference: object): string {
  return Object.entries(difference)
    .map(([key, value]) => `\n  ${key}: ${JSON.stringify(value)}`)
    .join('');
}

const toThink = (think: RecordedThink): ThinkOption | undefined =>
  think === null ? undefined : (think as ThinkOption);

function toMessage(message: RecordedMessage): Message {
  const { role, content, thinking, images, tool_calls: calls, tool_name: toolName, tool_call_id: toolCallId } = message;
  return {
    role,
    content,
    ...(images ? { images: images.map((data) => Buffer.from(data, 'base64')) } : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(toolName === undefined ? {} : { toolName }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(calls
      ? {
          toolCalls: calls.map(({ id, function: { name, arguments: args } }) => ({
            ...(id === undefined ? {} : { id }),
            name,
            arguments: args,
          })),
        }
      : {}),
  };
}

function toTool({ type, function: { name, description = '', parameters } }: RecordedTool): Tool {
  return { name, description, parameters, ...(type === undefined ? {} : { type }) };
}
