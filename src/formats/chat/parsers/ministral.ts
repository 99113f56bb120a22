// Ministral 3: calls without an end tag, and thinking wherever the model begins it.

import { callSyntaxOfFamily } from '../tool-calls/call-families.ts';
import { isShallow, parseObject } from '../tool-calls/read-call.ts';
import type { ParserFamily } from './answer-parser.ts';
import { splitAt } from './read-calls.ts';
import { type Section, SectionParser } from './section-parser.ts';

const sections: Readonly<Record<string, Section>> = {
  content: { kind: 'content', exits: { '[TOOL_CALLS]': 'name', '[THINK]': { to: 'thinking', keeps: 'after' } } },
  thinking: { kind: 'thinking', keepsEnd: true, exits: { '[/THINK]': { to: 'content', keeps: 'before' } } },
  name: { kind: 'call-name', exits: { '[ARGS]': 'arguments' } },
  arguments: { kind: 'call', exits: {}, afterJson: 'content' },
};

export const ministralParser: ParserFamily = {
  supportsTools: true,
  supportsThinking: false,
  controlTokens: ['[TOOL_CALLS]', '[THINK]', '[/THINK]', '[ARGS]'],
  callSyntax: callSyntaxOfFamily('mistral-arguments'),
  open({ tools }) {
    const names = new Set(tools.map(({ name }) => name));
    return new SectionParser({
      sections,
      start: 'content',
      readCalls(text, isClosed) {
        const [name, json = ''] = splitAt(text, '[ARGS]');
        const args = isClosed && isShallow(json.trim()) ? parseObject(json) : undefined;
        if (args !== undefined && names.has(name)) return [{ name, arguments: args }];
        return isClosed ? undefined : [];
      },
    });
  },
};
