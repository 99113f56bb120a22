// Separates what a model writes into thinking, content and tool calls, token by token.

import type { Step } from '../../base/pipe.ts';
import { withoutControlTokens } from '../../formats/chat/control-tokens.ts';
import type { AnswerParser } from '../../formats/chat/parsers/answer-parser.ts';
import type { AnswerParts } from '../../formats/chat/tool-calls/tool-call.ts';
import type { AnswerEvent } from '../model/answer-event.ts';
import type { MessageToolCall } from '../model/conversation.ts';

export interface AnswerSyntax {
  /** Absent: the answer is only text. */
  readonly parser?: AnswerParser;
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
  const { parser, controlTokens = [], newCallId, singleCall } = syntax;
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
  const passParts = ({ thinking, content, calls }: AnswerParts, pass: Pass): void => {
    if (singleCall && hasCalled) return;
    if (thinking !== '') pass({ type: 'thinking', text: thinking });
    passText(content, pass);
    passCalls(calls, pass);
  };

  return {
    push(event, pass) {
      if (event.type === 'tool-calls') {
        passCalls(event.calls, pass);
        return;
      }
      if (event.type === 'done' && parser !== undefined)
        passParts(parser.finish({ isCut: event.reason === 'length' }), pass);
      pass(event);
      if (event.type !== 'tokens') return;
      if (parser === undefined) passText(event.text, pass);
      else passParts(parser.push(event.text), pass);
    },
  };
}
