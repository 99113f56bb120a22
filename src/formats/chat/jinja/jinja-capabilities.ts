// The capabilities of a Jinja template, judged by its text: nothing else in a GGUF file states them.

import { templateParser } from '../parsers/message-sections.ts';
import { jinjaThinkingTags } from '../thinking/thinking-tags.ts';

export function jinjaCapabilities(source: string): { readonly tools: boolean; readonly thinking: boolean } {
  return {
    tools: /tools|tool_call/.test(source),
    thinking: jinjaThinkingTags(source) !== undefined || templateParser(source)?.supportsThinking === true,
  };
}
