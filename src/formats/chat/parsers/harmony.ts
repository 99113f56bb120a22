// gpt-oss: messages in channels. A template writes the prompts.

import { createHarmonyParser, type HarmonyStart } from '../harmony/harmony-parser.ts';
import type { Message } from '../message.ts';
import { callSyntaxOfFamily } from '../tool-calls/call-families.ts';
import type { ParserFamily } from './answer-parser.ts';

export const harmonyParser: ParserFamily = {
  supportsTools: true,
  supportsThinking: true,
  // The token after a call ends the answer.
  controlTokens: ['<|start|>', '<|end|>', '<|message|>', '<|channel|>', '<|constrain|>'],
  callSyntax: callSyntaxOfFamily('gpt-oss'),
  thinkingTags: { open: '<|channel|>analysis<|message|>', close: '<|end|>' },
  open: ({ lastMessage }) => createHarmonyParser(undefined, startAfter(lastMessage)),
};

/** Where the prompt ends, if the answer continues a message. */
function startAfter(lastMessage: Message | undefined): HarmonyStart {
  if (lastMessage?.role !== 'assistant') return 'header';
  if (lastMessage.content !== '') return 'content';
  return lastMessage.thinking ? 'thinking' : 'header';
}
