// Separates what a model writes into thinking, content and tool calls, token by token.

import type { Step } from '../../base/pipe.ts';
import { withoutControlTokens } from '../../formats/chat/control-tokens.ts';
import type { ThinkingOutput, ThinkingParser } from '../../formats/chat/thinking/thinking-parser.ts';
import type { ToolOutput } from '../../formats/chat/tool-calls/tool-call.ts';
import type { AnswerEvent } from '../model/answer-event.ts';
import type { MessageToolCall } from '../model/conversation.ts';

/** Finds calls in the content; with channels, also the thinking. */
interface ContentParser {
  push(text: string): ContentOutput;
  finish(ending: { readonly isCut: boolean }): ContentOutput;
}

type ContentOutput = ToolOutput & { readonly thinking?: string };

export interface AnswerSyntax {
  /** Absent: the answer does not begin with thinking. */
  readonly thinking?: ThinkingParser;
  /** Absent: there are no calls in the answer. */
  readonly content?: ContentParser;
  /** Control tokens that must not appear in the content. */
  readonly controlTokens?: readonly string[];
  /** Returns a unique id. Absent: calls are dropped. */
  readonly newCallId?: () => string;
  /** Nothing after the first call is passed on. */
  readonly singleCall?: boolean;
}

type Pass = (event: AnswerEvent) => void;

/** A step from `tokens` to the events that they consist of. Calls that a remote has found pass it, too. */
export function splitAnswer(syntax: AnswerSyntax): Step<AnswerEvent, AnswerEvent> {
  const { thinking: thinkingParser, content: contentParser, controlTokens = [], newCallId, singleCall } = syntax;
  let hasCalled = false;

  const passText = (content: string, pass: Pass): void => {
    const text = controlTokens.length === 0 ? content : withoutControlTokens(content, controlTokens);
    if (text !== '') pass({ type: 'text', text });
  };
  const passCalls = (calls: readonly MessageToolCall[], pass: Pass): void => {
    if (calls.length === 0 || newCallId === undefined || (singleCall && hasCalled)) return;
    hasCalled = true;
    const passed = singleCall ? calls.slice(0, 1) : calls;
    pass({ type: 'tool-calls', calls: passed.map((call) => ({ ...call, id: call.id ?? newCallId() })) });
  };
  const passContent = ({ thinking = '', content, calls }: ContentOutput, pass: Pass): void => {
    if (singleCall && hasCalled) return;
    if (thinking !== '') pass({ type: 'thinking', text: thinking });
    passText(content, pass);
    passCalls(calls, pass);
  };
  const passThought = ({ thinking, content }: ThinkingOutput, pass: Pass): void => {
    if (thinking !== '') pass({ type: 'thinking', text: thinking });
    if (content === '') return;
    if (contentParser === undefined) passText(content, pass);
    else passContent(contentParser.push(content), pass);
  };

  const finish = (isCut: boolean, pass: Pass): void => {
    if (thinkingParser !== undefined) passThought(thinkingParser.finish(), pass);
    if (contentParser !== undefined) passContent(contentParser.finish({ isCut }), pass);
  };

  return {
    push(event, pass) {
      if (event.type === 'tool-calls') {
        passCalls(event.calls, pass);
        return;
      }
      if (event.type === 'done') finish(event.reason === 'length', pass);
      pass(event);
      if (event.type !== 'tokens') return;
      passThought(thinkingParser?.push(event.text) ?? { thinking: '', content: event.text }, pass);
    },
  };
}
