// Reads the answer of a remote: lines or events to parts, up to its end. An answer that ends without saying so is a
// failure.
//
// The first tokens are passed on at once. Later ones are collected for a moment, as a runner does (runner/events/outbox.ts): each
// piece of text costs as much as its way through the server.

import { pipe } from '../../base/pipe.ts';
import type { RemoteKind } from './endpoint.ts';
import { brokenAnswer } from './http/remote-error.ts';
import type { RemoteResponse } from './http/remote-http.ts';
import { createEventReader, createRemoteLines } from './http/split-lines.ts';
import { parseWireObject } from './json/json-fields.ts';
import type { AnswerPart, AnswerReader, WireRequest } from './wire/answer-part.ts';
import { createStopCutter } from './wire/cut-at-stops.ts';
import { createTextJoiner } from './wire/join-texts.ts';
import { createOllamaReader } from './wire/ollama.ts';
import { createOpenAiReader } from './wire/openai-reader.ts';

interface AnswerSource {
  readonly remote: string;
  readonly kind: RemoteKind;
  readonly response: AnswerResponse;
  readonly request: Pick<WireRequest, 'ownStops'>;
  /** Whether many answers are read at the same time. */
  readonly isCrowded?: () => boolean;
}

interface AnswerResponse extends Partial<Pick<RemoteResponse, 'collect' | 'complete'>> {
  readonly chunks: AsyncIterable<Uint8Array>;
}

const chunksAtOnce = 6;
// If all of them begin at the same moment, their first tokens would delay the requests that come last.
const chunksAtOnceInCrowd = 1;
const collectingTimeMs = 25;
// A chunk of this size has many tokens already.
const largeChunkBytes = 16 * 1024;

/** Leaving the loop before the answer is complete closes the connection. */
export function readAnswer({ remote, kind, response, request, isCrowded }: AnswerSource): AsyncGenerator<AnswerPart> {
  const splitter = createRemoteLines(remote);
  const texts = createTextReader(kind, remote);
  const parts = createPartReader(remote, kind, request.ownStops);
  let chunks = 0;
  const textsIn = (lines: readonly string[]): string[] => {
    const found: string[] = [];
    for (const line of lines) {
      const text = texts.push(line);
      if (text !== undefined) found.push(text);
    }
    return found;
  };
  const checkComplete = (): void => {
    if (!parts.isComplete) throw brokenAnswer(remote, 'ended its answer before it was complete');
  };
  return pipe(response.chunks, {
    push(chunk: Uint8Array, pass: (part: AnswerPart) => void, end) {
      parts.push(textsIn(splitter.push(chunk)), pass);
      if (texts.isDone) response.complete?.();
      if (parts.isDone || texts.isDone) {
        checkComplete();
        end();
        return;
      }
      const atOnce = isCrowded?.() ? chunksAtOnceInCrowd : chunksAtOnce;
      if (++chunks >= atOnce && chunk.length < largeChunkBytes) response.collect?.(collectingTimeMs);
    },
    end(pass) {
      // Some servers do not end the last event.
      parts.push(textsIn([...splitter.end(), '']), pass);
      checkComplete();
    },
  });
}

interface TextReader {
  /** No text follows. */
  readonly isDone: boolean;
  /** The JSON text that the line completes. */
  push(line: string): string | undefined;
}

function createTextReader(kind: RemoteKind, remote: string): TextReader {
  if (kind === 'ollama') return { isDone: false, push: (line) => (line.trim() === '' ? undefined : line) };
  const events = createEventReader(remote);
  let isDone = false;
  return {
    get isDone() {
      return isDone;
    },
    push(line) {
      const data = events.push(line);
      isDone ||= data === '[DONE]';
      return isDone ? undefined : data;
    },
  };
}

function createPartReader(remote: string, kind: RemoteKind, ownStops: readonly string[]) {
  const reader: AnswerReader = kind === 'ollama' ? createOllamaReader(remote) : createOpenAiReader(remote);
  const cutter = ownStops.length === 0 ? undefined : createStopCutter(ownStops);
  let isComplete = false;
  let isDone = false;

  const pushPart = (part: AnswerPart, pass: (part: AnswerPart) => void): void => {
    if (isDone) return;
    if (cutter === undefined) {
      isComplete ||= part.type === 'finish';
      pass(part);
      return;
    }
    const cut = cutter.push(part);
    isComplete ||= cut.parts.some(({ type }) => type === 'finish');
    isDone = cut.isDone;
    for (const left of cut.parts) pass(left);
  };
  const pushText = (text: string, pass: (part: AnswerPart) => void): void => {
    const object = parseWireObject(text);
    if (object === undefined) throw brokenAnswer(remote, 'sent something that is not JSON');
    for (const part of reader.push(object)) pushPart(part, pass);
  };

  return {
    /** The answer has its end. */
    get isComplete() {
      return isComplete;
    },
    /** A stop sequence was found: nothing more is read. */
    get isDone() {
      return isDone;
    },
    push(texts: readonly string[], pass: (part: AnswerPart) => void): void {
      const joiner = createTextJoiner(pass);
      try {
        for (const text of texts) pushText(text, joiner.push);
      } finally {
        // What came before a failure is not lost.
        joiner.flush();
      }
    },
  };
}
