// An answer while it arrives: each object of the stream is added to it.

import type {
  ChatPassage,
  ChatResponseBody,
  ChatResponseToolCall,
} from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { type AnswerStats, statFields, type TreeMessage } from './chat-document.ts';
import { addCalls, type KeptCall } from './tool-calls.ts';

export interface Answer {
  readonly content: string;
  readonly thinking: string;
  readonly toolCalls: readonly ChatResponseToolCall[];
  /** Calls that the server runs. */
  readonly serverCalls: readonly KeptCall[];
  readonly passages?: readonly ChatPassage[] | undefined;
  /** The number of objects of the request so far. */
  readonly received: number;
  /** Time from the request to the first text. */
  readonly firstTokenMs?: number;
  readonly stats?: AnswerStats;
  /** How much of the prompt the model has read, from 0 to 1; absent if the server does not say. */
  readonly promptShare?: number;
}

export const noAnswer: Answer = { content: '', thinking: '', toolCalls: [], serverCalls: [], received: 0 };

/** `message` has the beginning of the answer. */
export function beginAnswer(message: TreeMessage): Answer {
  const {
    content,
    thinking = '',
    tool_calls: toolCalls = [],
    mcp_calls: serverCalls = [],
    passages,
    request,
  } = message;
  return { ...noAnswer, content, thinking, toolCalls, serverCalls, passages, received: request?.received ?? 0 };
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
    content: joinContent(answer, content),
    thinking: answer.thinking + thinking,
    toolCalls: calls.length === 0 ? answer.toolCalls : [...answer.toolCalls, ...calls],
    serverCalls: addCalls(answer.serverCalls, part.mcp_calls ?? [], answer.content.length),
    passages: part.passages ?? answer.passages,
    received: answer.received + 1,
    firstTokenMs,
    stats: part.done ? toStats(part, firstTokenMs) : undefined,
    promptShare: toShare(part) ?? answer.promptShare,
  };
}

/** Models begin the text after a call as if it were the first one. */
function joinContent({ content, serverCalls }: Answer, added: string): string {
  const isAfterCall = added !== '' && content !== '' && serverCalls.at(-1)?.at === content.length;
  return isAfterCall && !content.endsWith('\n') ? `${content}\n\n${added}` : content + added;
}

function toShare({ prompt_progress: progress }: PromptProgress): number | undefined {
  return progress === undefined || progress.total <= 0 ? undefined : Math.min(progress.evaluated / progress.total, 1);
}

function toStats(part: ChatResponseBody, firstTokenMs: number | undefined): AnswerStats {
  const stats: AnswerStats = Object.fromEntries(statFields.map((name) => [name, part[name]]));
  return { ...stats, first_token: firstTokenMs === undefined ? undefined : Math.round(firstTokenMs) };
}

/** What the conversation keeps of an answer. `message` has the rest of the fields. */
export function toMessage(
  message: TreeMessage,
  { content, thinking, toolCalls, serverCalls, passages, stats }: Answer,
): TreeMessage {
  return {
    ...message,
    content,
    thinking: thinking === '' ? undefined : thinking,
    tool_calls: toolCalls.length === 0 ? undefined : toolCalls,
    mcp_calls: serverCalls.length === 0 ? undefined : serverCalls,
    passages,
    stats: stats ?? message.stats,
  };
}

/** What the model does now. While a tool runs, the model waits for it. */
export function answerPhase(answer: Answer): 'waiting' | 'thinking' | 'answering' {
  const { content, thinking, toolCalls, serverCalls } = answer;
  if (content !== '' || toolCalls.length > 0 || serverCalls.length > 0) return 'answering';
  return thinking === '' ? 'waiting' : 'thinking';
}
