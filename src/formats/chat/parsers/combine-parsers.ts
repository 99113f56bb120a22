// Reads the answers of models that have a template: first the thinking, then the calls in the content after it.

import type { ThinkingOutput, ThinkingParser } from '../thinking/thinking-parser.ts';
import type { AnswerEnding, AnswerParts, ToolOutput } from '../tool-calls/tool-call.ts';
import type { AnswerParser } from './answer-parser.ts';

interface CallParser {
  push(text: string): ToolOutput;
  finish(ending: AnswerEnding): ToolOutput;
}

/** Each parser can be absent: then the answer has no such part. */
export function combineParsers(thinkingParser?: ThinkingParser, callParser?: CallParser): AnswerParser {
  const readCalls = ({ thinking, content }: ThinkingOutput): AnswerParts => {
    if (callParser === undefined || content === '') return { thinking, content, calls: [] };
    return { thinking, ...callParser.push(content) };
  };
  return {
    push: (text) => readCalls(thinkingParser?.push(text) ?? { thinking: '', content: text }),
    finish(ending) {
      const before = readCalls(thinkingParser?.finish() ?? { thinking: '', content: '' });
      const after = callParser?.finish(ending) ?? { content: '', calls: [] };
      return {
        thinking: before.thinking,
        content: before.content + after.content,
        calls: [...before.calls, ...after.calls],
      };
    },
  };
}
