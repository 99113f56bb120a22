// The response before anything is generated: what the request asked for, and nulls.

import type { ResponsesRequestBody } from '../request/responses-request-schema.ts';
import type { ResponseBody } from './response-schema.ts';

export function toInitialResponse(
  body: ResponsesRequestBody,
  { id, now }: { readonly id: string; readonly now: number },
): ResponseBody {
  const { instructions = null, max_output_tokens = null, previous_response_id = null, prompt_cache_key = null } = body;
  const { safety_identifier = null, user = null, background = false, store = true, metadata = {} } = body;
  const { temperature = 1, top_p = 1, top_logprobs = 0, truncation, max_tool_calls = null } = body;
  const { presence_penalty = 0, frequency_penalty = 0 } = body;
  const { tools = [], tool_choice = 'auto', parallel_tool_calls = true, model = '' } = body;
  const { effort = null, summary = null } = body.reasoning ?? {};
  const { format = { type: 'text' }, verbosity } = body.text ?? {};
  return {
    id,
    object: 'response',
    created_at: toSeconds(now),
    completed_at: null,
    status: background ? 'queued' : 'in_progress',
    error: null,
    frequency_penalty,
    incomplete_details: null,
    instructions,
    max_output_tokens,
    max_tool_calls,
    model,
    output: [],
    parallel_tool_calls,
    presence_penalty,
    previous_response_id,
    prompt: null,
    prompt_cache_key,
    reasoning: { effort, summary },
    safety_identifier,
    service_tier: 'default',
    store,
    temperature,
    text: { format, verbosity },
    tool_choice,
    tools: tools.map(withAllFields),
    top_logprobs,
    top_p,
    truncation: truncation === 'auto' ? 'auto' : 'disabled',
    usage: null,
    user,
    background,
    conversation: null,
    metadata,
  };
}

/** Clients expect every field of a function, also if the request does not have it. */
function withAllFields(tool: unknown): unknown {
  const fields = tool as Readonly<Record<string, unknown>>;
  if (fields['type'] === 'mcp') {
    // They hold secrets, and stored responses can be read again.
    const { headers: _, authorization: __, ...shown } = fields;
    return shown;
  }
  if (fields['type'] !== 'function') return tool;
  return { description: null, parameters: null, strict: null, ...fields };
}

export function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
