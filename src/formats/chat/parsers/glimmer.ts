// Glimmer: an answer consists of messages with recipients.
//
//   answer  = message { ( "<|eom|>" | "<|eot|>" ) "<|start|>assistant" message }
//   message = [ " to=" recipient ] "<|message|>" body
//
// The prompt ends with `<|start|>assistant`. Messages to `self` are thinking, those to a tool are calls, others are content.
// Models leave out the end of a message, or the recipient of a call.

import type { Tool } from '../message.ts';
import { anywhere, nothing, toCallSyntax } from '../tool-calls/call-layouts.ts';
import { createLiteralMatcher, skipWhiteSpace } from '../tool-calls/literal-matcher.ts';
import type { AnswerEnding, AnswerParts, ToolCall } from '../tool-calls/tool-call.ts';
import type { AnswerParser, ParserFamily } from './answer-parser.ts';
import { atemTags, findAtemTool, readAtemCall } from './atem-calls.ts';
import { type Progress, readOn } from './read-on.ts';

const start = '<|start|>assistant';
const message = '<|message|>';
const ends = createLiteralMatcher(['<|eom|>', '<|eot|>', start]);
const callEnd = createLiteralMatcher([atemTags.close]);

// Headers are short. A longer one is text without a header.
const maxHeader = 512;

export const glimmerParser: ParserFamily = {
  supportsTools: true,
  supportsThinking: true,
  controlTokens: ['<|start|>', message, '<|eom|>', '<|eot|>'],
  callSyntax: toCallSyntax({
    ...nothing,
    // A call without a recipient is read, too.
    open: message,
    before: `${atemTags.open}\n<atem:invoke name="`,
    after: `\n${atemTags.close}`,
    form: {
      kind: 'elements',
      afterName: '">\n',
      beforeKey: '<atem:parameter name="',
      afterKey: '">',
      afterValue: '</atem:parameter>\n',
      end: '</atem:invoke>',
    },
    triggers: anywhere(message + atemTags.open),
  }),
  thinkingTags: { open: ` to=self${message}`, close: '<|eom|>' },
  open: ({ tools, think }) => new GlimmerParser(tools, think !== false),
};

/** `undecided`: content that may be a call. */
type Part = 'header' | 'thinking' | 'content' | 'undecided' | 'call';

class GlimmerParser implements AnswerParser {
  readonly #tools: readonly Tool[];
  readonly #showsThinking: boolean;
  #part: Part = 'header';
  #rest = '';
  /** The current call: the tool that the message is to, if any, and the text. */
  #recipient: Tool | undefined;
  #body: string[] = [];
  #isClosed = false;
  #output = { thinking: '', content: '', calls: [] as ToolCall[] };

  constructor(tools: readonly Tool[], showsThinking: boolean) {
    this.#tools = tools;
    this.#showsThinking = showsThinking;
  }

  push(text: string): AnswerParts {
    this.#rest = this.#advance(this.#rest + text, false);
    return this.#take();
  }

  finish({ isCut }: AnswerEnding): AnswerParts {
    this.#rest = this.#advance(this.#rest, true);
    if (this.#part === 'call' && !isCut) this.#endCall();
    return this.#take();
  }

  #advance(text: string, ended: boolean): string {
    return readOn(text, (at) => this.#read(text, at, ended));
  }

  #read(text: string, at: number, ended: boolean): Progress {
    if (this.#part === 'header') return this.#readHeader(text, at, ended);
    if (this.#part === 'undecided') return this.#decide(text, at, ended);
    return this.#readBody(text, at, ended);
  }

  #readHeader(text: string, at: number, ended: boolean): Progress {
    const from = text.startsWith(start, at) ? at + start.length : at;
    const end = text.indexOf(message, from);
    const length = (end === -1 ? text.length - message.length : end) - from;
    if (length > maxHeader) {
      this.#part = 'content';
      return { end: from, isOpen: false };
    }
    if (end === -1) {
      if (ended) this.#output.content += text.slice(from);
      return { end: ended ? text.length : at, isOpen: true };
    }
    this.#startBody(text.slice(from, end).trim().replace(/^to=/, '').trim());
    return { end: end + message.length, isOpen: false };
  }

  #startBody(recipient: string): void {
    this.#recipient = findAtemTool(recipient, this.#tools);
    this.#body = [];
    this.#isClosed = false;
    if (recipient === 'self') this.#part = 'thinking';
    else if (this.#recipient !== undefined) this.#part = 'call';
    else this.#part = this.#tools.length > 0 ? 'undecided' : 'content';
  }

  #decide(text: string, at: number, ended: boolean): Progress {
    const first = skipWhiteSpace(text, at);
    const shown = text.slice(first, first + atemTags.open.length);
    const mayBeCall = first - at <= maxHeader && atemTags.open.startsWith(shown);
    const isOpen = mayBeCall && shown !== atemTags.open && !ended;
    if (!isOpen) this.#part = mayBeCall && shown === atemTags.open ? 'call' : 'content';
    return { end: at, isOpen };
  }

  #readBody(text: string, at: number, ended: boolean): Progress {
    const isInCall = this.#part === 'call' && !this.#isClosed;
    const marks = isInCall ? callEnd : ends;
    const next = marks.find(text, at, ended);
    this.#write(text.slice(at, next));
    const mark = marks.match(text, next, ended);
    if (typeof mark !== 'string') return { end: next, isOpen: true };
    const end = next + mark.length;
    if (isInCall) {
      this.#write(mark);
      this.#isClosed = true;
    } else if (mark !== start) this.#endMessage();
    else return this.#readStart(text, end, ended);
    return { end, isOpen: false };
  }

  /** A message can begin before the one before it has ended. Other text after the mark is text. */
  #readStart(text: string, at: number, ended: boolean): Progress {
    const header = text.slice(at, at + maxHeader);
    const [, recipient] = /^(?: to=(.*?))?<\|message\|>/s.exec(header) ?? [];
    const isValid =
      header.startsWith(message) ||
      (recipient !== undefined && [...this.#tools.map(({ name }) => name), 'self', 'user'].includes(recipient));
    if (isValid) this.#endMessage();
    else if (!ended && isHalfHeader(header)) return { end: at - start.length, isOpen: true };
    else this.#write(start);
    return { end: at, isOpen: false };
  }

  #write(text: string): void {
    if (this.#part === 'call') this.#body.push(text);
    else if (this.#part === 'content') this.#output.content += text;
    else if (this.#showsThinking) this.#output.thinking += text;
  }

  #endMessage(): void {
    if (this.#part === 'call') this.#endCall();
    this.#part = 'header';
  }

  #endCall(): void {
    const text = this.#body.join('');
    const call = readAtemCall(text, this.#tools);
    const isFor = this.#recipient === undefined || call?.name === this.#recipient.name;
    if (call !== undefined && isFor) this.#output.calls.push(call);
    else this.#output.content += text;
  }

  #take(): AnswerParts {
    const taken = this.#output;
    this.#output = { thinking: '', content: '', calls: [] };
    return taken;
  }
}

function isHalfHeader(text: string): boolean {
  if (text.length === maxHeader) return false;
  const tag = /^ to=[^\s<]*(<.*)?$/s.exec(text)?.[1];
  return (
    message.startsWith(text) ||
    ' to='.startsWith(text) ||
    (/^ to=[^\s<]*(?:<|$)/.test(text) && message.startsWith(tag ?? ''))
  );
}
