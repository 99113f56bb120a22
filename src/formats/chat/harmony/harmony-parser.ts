// Reads the answers of gpt-oss, which consist of messages in channels ("harmony"):
//
//   answer  = message { "<|end|>" "<|start|>" message }
//   message = header "<|message|>" body
//   header  = [ "assistant" ] [ " to=functions.NAME" ] "<|channel|>" CHANNEL [ " to=functions.NAME" ] [ "<|constrain|>json" ]
//
// The prompt ends with `<|start|>assistant`. The channel `analysis` is thinking, `commentary` and `final` are content, and a
// message to a function is a call. The result does not depend on how the answer is split into pieces.

import { createLiteralMatcher } from '../tool-calls/literal-matcher.ts';
import { isShallow, parseObject } from '../tool-calls/read-call.ts';
import type { AnswerParts, ToolCall } from '../tool-calls/tool-call.ts';

export const harmonyTokens = [
  '<|start|>',
  '<|channel|>',
  '<|constrain|>',
  '<|message|>',
  '<|end|>',
  '<|call|>',
  '<|return|>',
] as const;

/** What the parser reads: a header, the body of a message (thinking, content or a call), or text after a message. */
type Part = 'header' | 'thinking' | 'content' | 'call' | 'after';

const inHeader: ReadonlySet<string> = new Set(['<|channel|>', '<|constrain|>']);
const startsHeader: ReadonlySet<string> = new Set(['<|start|>', '<|channel|>']);

// Headers are short. A longer one is text without a header.
const maxHeader = 512;

/** The part in which the prompt ends. */
export type HarmonyStart = Extract<Part, 'header' | 'thinking' | 'content'>;

/** Without `toolNames`, every name counts as that of a tool. */
export function createHarmonyParser(toolNames: readonly string[] | undefined, start: HarmonyStart = 'header') {
  const marks = createLiteralMatcher(harmonyTokens);
  const names = toolNames && new Set(toolNames);
  let part: Part = start;
  let header = '';
  let hasMark = false;
  let callee = '';
  let body = '';
  let rest = '';
  let output = { thinking: '', content: '', calls: [] as ToolCall[] };

  const clearHeader = (): void => {
    header = '';
    hasMark = false;
  };

  const endMessage = (): void => {
    if (part === 'call') {
      const value = body.trim() || '{}';
      const args = isShallow(value) ? parseObject(value) : undefined;
      if (args !== undefined && (names?.has(callee) ?? true)) output.calls.push({ name: callee, arguments: args });
      else output.content += body;
    } else if (part === 'header' && !hasMark) output.content += header;
    clearHeader();
    body = '';
    part = 'after';
  };

  const startBody = (): void => {
    callee = /to=(?:functions\.)?([^\s<]+)/.exec(header)?.[1] ?? '';
    const channel = /<\|channel\|>\s*analysis/.test(header) ? 'thinking' : 'content';
    part = callee === '' ? channel : 'call';
    clearHeader();
  };

  const readMark = (mark: string): void => {
    if (mark === '<|message|>') {
      startBody();
      return;
    }
    if (part !== 'header' || !inHeader.has(mark)) endMessage();
    if (startsHeader.has(mark)) part = 'header';
    if (inHeader.has(mark)) header += mark;
    hasMark ||= part === 'header' || inHeader.has(mark);
  };

  const readText = (text: string): void => {
    if (part === 'header') {
      header += text;
      if (hasMark || !isText(header)) return;
      part = 'content';
      output.content += header;
      clearHeader();
    } else if (part === 'call') body += text;
    else if (part !== 'after') output[part] += text;
  };

  const advance = (text: string, ended: boolean): string => {
    let at = 0;
    while (at < text.length) {
      const start = marks.find(text, at, ended);
      readText(text.slice(at, start));
      const mark = marks.match(text, start, ended);
      if (typeof mark !== 'string') return text.slice(start);
      readMark(mark);
      at = start + mark.length;
    }
    return '';
  };

  const take = (): AnswerParts => {
    const taken = output;
    output = { thinking: '', content: '', calls: [] };
    return taken;
  };

  return {
    push(text: string): AnswerParts {
      rest = advance(rest + text, false);
      return take();
    },
    finish(): AnswerParts {
      rest = advance(rest, true);
      endMessage();
      return take();
    },
  };
}

/** Whether the text cannot be a header: the model continues a message that has begun in the prompt. */
function isText(header: string): boolean {
  if (header.length > maxHeader) return true;
  const start = header.trimStart();
  return !['assistant', 'to=', 'functions.'].some((word) => word.startsWith(start) || start.startsWith(word));
}
