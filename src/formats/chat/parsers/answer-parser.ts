// Parsers: how the answers of models are read. The result of a parser does not depend on how the text is cut.

import type { ThinkOption } from '../../../models/think.ts';
import type { Message, Tool } from '../message.ts';
import type { ThinkingTags } from '../thinking/thinking-parser.ts';
import type { CallSyntax } from '../tool-calls/call-syntax.ts';
import type { AnswerEnding, AnswerParts } from '../tool-calls/tool-call.ts';

export interface AnswerParser {
  /** Adds a piece of the answer; returns the parts that are decided. */
  push(text: string): AnswerParts;
  /** Ends the answer; returns the remaining parts. If it was cut off, a call that has begun is left out. */
  finish(ending: AnswerEnding): AnswerParts;
}

/** What a parser needs to know about the request. */
export interface ParserContext {
  readonly tools: readonly Tool[];
  readonly think: ThinkOption | undefined;
  /** If it is the assistant's, the answer continues it. */
  readonly lastMessage?: Message;
}

/** A parser that model configs name. */
export interface ParserFamily {
  readonly supportsTools: boolean;
  readonly supportsThinking: boolean;
  /** Tokens that must stay visible in the text of the answer. */
  readonly controlTokens: readonly string[];
  /** How calls are written, for grammars that hold calls. Absent: they are not held. */
  readonly callSyntax?: CallSyntax;
  /** The tags around thinking, for grammars and budgets that must know where it ends. */
  readonly thinkingTags?: ThinkingTags;
  open(context: ParserContext): AnswerParser;
}
