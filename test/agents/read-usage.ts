// The prompt tokens that a streamed answer reports, in the words of each API.

import { messageEventsOf } from '../support/anthropic.ts';
import { eventsOf, responseEventsOf } from '../support/openai.ts';
import type { Agent } from './agent-table.ts';

export interface PromptUsage {
  readonly tokens: number;
  readonly cached: number;
}

const readers: Readonly<Record<Agent['path'], (stream: string) => PromptUsage | undefined>> = {
  '/v1/responses'(stream) {
    const end = responseEventsOf(stream).at(-1);
    const usage = end !== undefined && 'response' in end ? end.response.usage : null;
    return usage ? { tokens: usage.input_tokens, cached: usage.input_tokens_details.cached_tokens } : undefined;
  },
  '/v1/messages'(stream) {
    const start = messageEventsOf(stream).find((event) => event.type === 'message_start');
    if (start === undefined) return undefined;
    const { input_tokens, cache_read_input_tokens: cached, cache_creation_input_tokens } = start.message.usage;
    return { tokens: input_tokens + cached + cache_creation_input_tokens, cached };
  },
  '/v1/chat/completions'(stream) {
    const usage = eventsOf(stream).objects.at(-1)?.usage;
    return usage ? { tokens: usage.prompt_tokens, cached: usage.prompt_tokens_details.cached_tokens } : undefined;
  },
};

/** The share of the prompt that came from the prefix cache. */
export function cachedShare(path: Agent['path'], stream: string): number {
  const usage = readers[path](stream);
  if (usage === undefined) throw new Error(`no usage in ${stream}`);
  return usage.cached / usage.tokens;
}
