// The messages between the server and the process of a speech model, as frames. The process executes native code on files
// from anywhere, so the server checks what it says.

import { asObject } from '../../base/json-values.ts';
import type { SpeechRequest, TranscriptEvent, TranscriptSegment } from '../../inference/model/transcript.ts';

export interface SpeechOrder {
  readonly modelPath: string;
  readonly threads: number;
}

export type SpeechCommand =
  | ({ readonly type: 'transcribe'; readonly id: number; readonly audio: string } & Omit<SpeechRequest, 'audio'>)
  | { readonly type: 'cancel'; readonly id: number };

export type SpeechMessage =
  | { readonly type: 'loaded' }
  /** A window is written down, perhaps without an event. */
  | { readonly type: 'progress' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'event'; readonly id: number; readonly event: TranscriptEvent }
  | { readonly type: 'error'; readonly id: number; readonly message: string; readonly isRefused: boolean };

/** Bytes of a frame: an event has the text of half a minute, a command has a file. */
export const maxSpeechBytes = 2 ** 20;
export const maxCommandBytes = 2 ** 27;

/** Undefined if it is none. */
export function parseSpeechMessage(value: unknown): SpeechMessage | undefined {
  const { type, id, message, event, isRefused } = asObject(value);
  if (type === 'loaded' || type === 'progress') return { type };
  if (type === 'failed') return { type, message: String(message) };
  if (typeof id !== 'number') return undefined;
  if (type === 'error') return { type, id, message: String(message), isRefused: isRefused === true };
  const parsed = type === 'event' ? parseEvent(asObject(event)) : undefined;
  return parsed && { type: 'event', id, event: parsed };
}

function parseEvent(event: Readonly<Record<string, unknown>>): TranscriptEvent | undefined {
  const { type, language, seconds, segment } = event;
  if (type === 'done' && typeof language === 'string' && isTime(seconds)) return { type, language, seconds };
  return type === 'segment' && isSegment(asObject(segment))
    ? { type, segment: segment as TranscriptSegment }
    : undefined;
}

function isSegment(segment: Readonly<Record<string, unknown>>): boolean {
  const { tokens, words, logprob, noSpeech } = segment;
  const isValid = isWord(segment) && Array.isArray(tokens) && Array.isArray(words);
  return (
    isValid && isTime(noSpeech) && Number.isFinite(logprob) && tokens.every(Number.isSafeInteger) && words.every(isWord)
  );
}

function isWord(value: unknown): boolean {
  const { text, start, end } = asObject(value);
  return typeof text === 'string' && isTime(start) && isTime(end);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
