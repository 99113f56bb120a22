// Holds Hearth's renderers and parsers against recorded ones.

import { isDeepStrictEqual } from 'node:util';
import { tagImages } from '../../../src/formats/chat/image-tags.ts';
import type { Message, Tool } from '../../../src/formats/chat/message.ts';
import { findParser } from '../../../src/formats/chat/parsers/find-parser.ts';
import { findRenderer } from '../../../src/formats/chat/renderers/find-renderer.ts';
import type { AnswerParts } from '../../../src/formats/chat/tool-calls/tool-call.ts';
import type { ThinkOption } from '../../../src/models/think.ts';
import type { RecordedAnswer, RecordedMessage, RecordedPrompt, RecordedThink, RecordedTool } from './recording.ts';

const shownBefore = 40;
const shownLength = 200;

/** Undefined if they are equal, otherwise where they differ. */
export function comparePrompt(name: string, recorded: RecordedPrompt): string | undefined {
  const { messages, tools, think, text, error } = recorded;
  const given = messages.map(toMessage);
  // Models without vision get no images.
  const tagged = text.includes('[img-') ? tagImages(given, ' ').messages : given;
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
  return error === '' && rendered === text ? undefined : difference(rendered);
}

/** Undefined if all cuts of the text are read as recorded, otherwise what was read instead. */
export function compareAnswer(name: string, recorded: RecordedAnswer): string | undefined {
  const expected = {
    thinking: recorded.thinking,
    content: recorded.content,
    calls: recorded.calls.map(({ function: { name, arguments: args } }) => ({ name, arguments: args })),
  };
  for (const pieces of cut(recorded.text)) {
    const parts = readPieces(name, recorded, pieces);
    if (parts === undefined) return 'there is no such parser';
    if (!isDeepStrictEqual(parts, expected)) {
      const { think, lastMessage, tools, done } = recorded;
      const context = { think, lastMessage, tools: tools.map((tool) => tool.function.name), done };
      return describe({
        pieces: pieces.length > 2 ? 'characters' : pieces,
        ollama: expected,
        hearth: parts,
        ...context,
      });
    }
  }
  return undefined;
}

/** The parts of an answer that Ollama refuses. All cuts must have the same. */
export function readRefused(name: string, recorded: RecordedAnswer): AnswerParts | undefined {
  const all = cut(recorded.text).map((pieces) => readPieces(name, recorded, pieces));
  return all.every((parts) => isDeepStrictEqual(parts, all[0])) ? all[0] : undefined;
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
