// Reads the answer of a remote: lines or events to the events of an answer, up to its end. An answer that ends without
// saying so is a failure.
//
// The first tokens are passed on at once. Later ones are collected for a moment, as a runner does (runner/events/outbox.ts): each
// piece of text costs as much as its way through the server.

import { pipe } from '../../base/pipe.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { AnswerEvent } from '../model/answer-event.ts';
import type { RemoteKind } from './endpoint.ts';
import { brokenAnswer } from './http/remote-error.ts';
import type { RemoteResponse } from './http/remote-http.ts';
import { createEventReader, createRemoteLines } from './http/split-lines.ts';
import { parseWireObject, type WireObject } from './json/json-fields.ts';
import { boundAnswer } from './wire/bound-counts.ts';
import { readOllamaLine } from './wire/ollama.ts';
import { createOpenAiReader } from './wire/openai-reader.ts';
import { RemoteAnswer } from './wire/remote-answer.ts';
import type { WireRequest } from './wire/wire-request.ts';

interface AnswerSource {
  readonly remote: string;
  readonly kind: RemoteKind;
  readonly response: AnswerResponse;
  readonly request: Pick<WireRequest, 'ignored' | 'ownStops'>;
  /** When the request was sent: a time of the monotonic clock. */
  readonly begun: number;
  readonly clock: Clock;
  /** Whether many answers are read at the same time. */
  readonly isCrowded?: () => boolean;
}

interface AnswerResponse
  extends Pick<RemoteResponse, 'sentBytes'>,
    Partial<Pick<RemoteResponse, 'collect' | 'complete'>> {
  readonly chunks: AsyncIterable<Uint8Array>;
}

const chunksAtOnce = 6;
// If all of them begin at the same moment, their first tokens would delay the requests that come last.
const chunksAtOnceInCrowd = 1;
const collectingTimeMs = 25;
// A chunk of this size has many tokens already.
const largeChunkBytes = 16 * 1024;

/** Leaving the loop before the answer is complete closes the connection. */
export function readAnswer(source: AnswerSource): AsyncGenerator<AnswerEvent> {
  const { remote, kind, response, request, isCrowded } = source;
  const splitter = createRemoteLines(remote);
  const texts = createTextReader(kind, remote);
  const answer = new RemoteAnswer(request, source);
  const readObject =
    kind === 'ollama' ? (line: WireObject) => readOllamaLine(remote, line, answer) : createOpenAiReader(remote, answer);
  let chunks = 0;
  let receivedBytes = 0;
  const readLines = (lines: readonly string[], pass: (event: AnswerEvent) => void): void => {
    try {
      for (const line of lines) {
        const text = texts.push(line);
        if (text === undefined) continue;
        const object = parseWireObject(text);
        if (object === undefined) throw brokenAnswer(remote, 'sent something that is not JSON, or too large');
        readObject(object);
      }
    } finally {
      // What came before a failure is not lost.
      answer.flush(pass);
    }
  };
  const passEnd = (pass: (event: AnswerEvent) => void): void => {
    if (!answer.isFinished) throw brokenAnswer(remote, 'ended its answer before it was complete');
    pass(boundAnswer(answer.end(), { sentBytes: response.sentBytes, receivedBytes }));
  };
  return pipe(response.chunks, {
    push(chunk: Uint8Array, pass: (event: AnswerEvent) => void, end) {
      receivedBytes += chunk.length;
      readLines(splitter.push(chunk), pass);
      if (texts.isDone) response.complete?.();
      if (answer.isCut || texts.isDone) {
        passEnd(pass);
        end();
        return;
      }
      const atOnce = isCrowded?.() ? chunksAtOnceInCrowd : chunksAtOnce;
      if (++chunks >= atOnce && chunk.length < largeChunkBytes) response.collect?.(collectingTimeMs);
    },
    end(pass) {
      // Some servers do not end the last event.
      readLines([...splitter.end(), ''], pass);
      passEnd(pass);
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
