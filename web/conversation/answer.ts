// An answer while it arrives: each object of the stream is added to it.

import type {
  ChatResponseBody,
  ChatResponseToolCall,
} from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import type { AnswerStats, ChatMessage } from './chat-document.ts';

export interface Answer {
  readonly content: string;
  readonly thinking: string;
  readonly toolCalls: readonly ChatResponseToolCall[];
  /** The number of objects of the request so far. */
  readonly received: number;
  /** Milliseconds from the request to the first text. */
  readonly firstToken?: number;
  readonly stats?: AnswerStats;
}

/** `message` is what there is of the answer. */
export function beginAnswer({ content, thinking = '', tool_calls: toolCalls = [], request }: ChatMessage): Answer {
  return { content, thinking, toolCalls, received: request?.received ?? 0 };
}

/** `elapsed`: milliseconds since the request; undefined if that is not known. */
export function addPart(answer: Answer, part: ChatResponseBody, elapsed: number | undefined): Answer {
  const { content = '', thinking = '', tool_calls: calls = [] } = part.message ?? {};
  const hasText = content !== '' || thinking !== '' || calls.length > 0;
  const firstToken = answer.firstToken ?? (hasText ? elapsed : undefined);
  return {
    content: answer.content + content,
    thinking: answer.thinking + thinking,
    toolCalls: calls.length === 0 ? answer.toolCalls : [...answer.toolCalls, ...calls],
    received: answer.received + 1,
    ...(firstToken === undefined ? {} : { firstToken }),
    ...(part.done ? { stats: toStats(part, firstToken) } : {}),
  };
}

const statFields = [
  'done_reason',
  'load_duration',
  'total_duration',
  'prompt_eval_count',
  'prompt_eval_cached_count',
  'eval_count',
  'eval_duration',
  'dropped_messages',
] as const satisfies readonly (keyof AnswerStats & keyof ChatResponseBody)[];

function toStats(part: ChatResponseBody, firstToken: number | undefined): AnswerStats {
  const fields = statFields.flatMap((name) => (part[name] === undefined ? [] : [[name, part[name]] as const]));
  const stats = Object.fromEntries(fields) as AnswerStats;
  return { ...stats, ...(firstToken === undefined ? {} : { first_token: Math.round(firstToken) }) };
}

/** What the conversation keeps of an answer. `message` has the rest of the fields. */
export function toMessage(message: ChatMessage, answer: Answer): ChatMessage {
  const { content, thinking, toolCalls, stats } = answer;
  return {
    ...message,
    content,
    ...(thinking === '' ? {} : { thinking }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...(stats === undefined ? {} : { stats }),
  };
}

/** What the model does now. */
export function phaseOf({ content, thinking, toolCalls }: Answer): 'waiting' | 'thinking' | 'answering' {
  if (content !== '' || toolCalls.length > 0) return 'answering';
  return thinking === '' ? 'waiting' : 'thinking';
}
