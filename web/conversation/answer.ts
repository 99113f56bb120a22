// An answer while it arrives: each object of the stream is added to it.

import type {
  ChatResponseBody,
  ChatResponseToolCall,
} from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { type AnswerStats, statFields, type TreeMessage } from './chat-document.ts';

export interface Answer {
  readonly content: string;
  readonly thinking: string;
  readonly toolCalls: readonly ChatResponseToolCall[];
  /** The number of objects of the request so far. */
  readonly received: number;
  /** Time from the request to the first text. */
  readonly firstTokenMs?: number;
  readonly stats?: AnswerStats;
  /** How much of the prompt the model has read, from 0 to 1; absent if the server does not say. */
  readonly promptShare?: number;
}

export const noAnswer: Answer = { content: '', thinking: '', toolCalls: [], received: 0 };

/** `message` has the beginning of the answer. */
export function beginAnswer({ content, thinking = '', tool_calls: toolCalls = [], request }: TreeMessage): Answer {
  return { ...noAnswer, content, thinking, toolCalls, received: request?.received ?? 0 };
}

/** Sent while a long prompt is evaluated. */
interface PromptProgress {
  readonly prompt_progress?: { readonly evaluated: number; readonly total: number };
}

/** `elapsedMs` counts from the request; undefined if that time is not known. */
export function addPart(
  answer: Answer,
  part: ChatResponseBody & PromptProgress,
  elapsedMs: number | undefined,
): Answer {
  const { content = '', thinking = '', tool_calls: calls = [] } = part.message ?? {};
  const hasText = content !== '' || thinking !== '' || calls.length > 0;
  const firstTokenMs = answer.firstTokenMs ?? (hasText ? elapsedMs : undefined);
  return {
    content: answer.content + content,
    thinking: answer.thinking + thinking,
    toolCalls: calls.length === 0 ? answer.toolCalls : [...answer.toolCalls, ...calls],
    received: answer.received + 1,
    firstTokenMs,
    stats: part.done ? toStats(part, firstTokenMs) : undefined,
    promptShare: toShare(part) ?? answer.promptShare,
  };
}

function toShare({ prompt_progress: progress }: PromptProgress): number | undefined {
  return progress === undefined || progress.total <= 0 ? undefined : Math.min(progress.evaluated / progress.total, 1);
}

function toStats(part: ChatResponseBody, firstTokenMs: number | undefined): AnswerStats {
  const stats: AnswerStats = Object.fromEntries(statFields.map((name) => [name, part[name]]));
  return { ...stats, first_token: firstTokenMs === undefined ? undefined : Math.round(firstTokenMs) };
}

/** What the conversation keeps of an answer. `message` has the rest of the fields. */
export function toMessage(message: TreeMessage, { content, thinking, toolCalls, stats }: Answer): TreeMessage {
  return {
    ...message,
    content,
    thinking: thinking === '' ? undefined : thinking,
    tool_calls: toolCalls.length === 0 ? undefined : toolCalls,
    stats: stats ?? message.stats,
  };
}

/** What the model does now. */
export function answerPhase({ content, thinking, toolCalls }: Answer): 'waiting' | 'thinking' | 'answering' {
  if (content !== '' || toolCalls.length > 0) return 'answering';
  return thinking === '' ? 'waiting' : 'thinking';
}
