// Reads the answer of a remote: lines or events to parts, up to its end. An answer that ends without saying so is a
// failure.
//
// The first tokens are passed on at once. Later ones are collected for a moment, as a runner does (runner/outbox.ts): each
// piece of text costs as much as its way through the server.

import { pipe } from '../../base/pipe.ts';
import type { RemoteKind } from './endpoint.ts';
import { brokenAnswer } from './http/remote-error.ts';
import type { RemoteResponse } from './http/remote-http.ts';
import { createEventReader, createRemoteLines } from './http/split-lines.ts';
import type { AnswerPart, AnswerReader, WireRequest } from './wire/answer-part.ts';
import { createStopCutter } from './wire/cut-at-stops.ts';
import { joinTexts } from './wire/join-texts.ts';
import { parseWireObject } from './wire/json-fields.ts';
import { createOllamaReader } from './wire/ollama.ts';
import { createOpenAiReader } from './wire/openai-reader.ts';

export interface AnswerSource {
  readonly remote: string;
  readonly kind: RemoteKind;
  readonly response: AnswerResponse;
  readonly request: Pick<WireRequest, 'ownStops'>;
}

export interface AnswerResponse extends Partial<Pick<RemoteResponse, 'collect' | 'complete'>> {
  readonly chunks: AsyncIterable<Uint8Array>;
}

const chunksAtOnce = 6;
// Milliseconds.
const collectingTime = 25;
// Bytes. A chunk of this size has many tokens already.
const largeChunk = 16 * 1024;

/** Leaving the loop before the answer is complete closes the connection. */
export function readAnswer({ remote, kind, response, request }: AnswerSource): AsyncGenerator<AnswerPart> {
  const splitter = createRemoteLines(remote);
  const texts = createTextReader(kind, remote);
  const parts = createPartReader(remote, kind, request.ownStops);
  let chunks = 0;
  const checkComplete = (): void => {
    if (!parts.isComplete) throw brokenAnswer(remote, 'ended its answer before it was complete');
  };
  return pipe(response.chunks, {
    push(chunk: Uint8Array, pass: (part: AnswerPart) => void, end) {
      for (const part of parts.push(splitter.push(chunk).flatMap(texts.push))) pass(part);
      if (texts.isDone) response.complete?.();
      if (parts.isDone || texts.isDone) {
        checkComplete();
        end();
      } else if (++chunks > chunksAtOnce && chunk.length < largeChunk) response.collect?.(collectingTime);
    },
    end(pass) {
      // Some servers do not end the last event.
      for (const part of parts.push([...splitter.end(), ''].flatMap(texts.push))) pass(part);
      checkComplete();
    },
  });
}

interface TextReader {
  /** No text follows. */
  readonly isDone: boolean;
  /** The JSON texts that the line completes. */
  push(line: string): string[];
}

function createTextReader(kind: RemoteKind, remote: string): TextReader {
  if (kind === 'ollama') return { isDone: false, push: (line) => (line.trim() === '' ? [] : [line]) };
  const events = createEventReader(remote);
  let isDone = false;
  return {
    get isDone() {
      return isDone;
    },
    push(line) {
      const data = events.push(line);
      isDone ||= data === '[DONE]';
      return data === undefined || isDone ? [] : [data];
    },
  };
}

function createPartReader(remote: string, kind: RemoteKind, ownStops: readonly string[]) {
  const reader: AnswerReader = kind === 'ollama' ? createOllamaReader(remote) : createOpenAiReader(remote);
  const cutter = ownStops.length === 0 ? undefined : createStopCutter(ownStops);
  let isComplete = false;
  let isDone = false;

  function* read(texts: readonly string[]): Generator<AnswerPart> {
    for (const text of texts) {
      const object = parseWireObject(text);
      if (object === undefined) throw brokenAnswer(remote, 'sent something that is not JSON');
      for (const part of reader.push(object)) {
        if (isDone) return;
        const cut = cutter?.push(part) ?? { parts: [part], isDone: false };
        isComplete ||= cut.parts.some(({ type }) => type === 'finish');
        isDone = cut.isDone;
        yield* cut.parts;
      }
    }
  }

  return {
    /** The answer has its end. */
    get isComplete() {
      return isComplete;
    },
    /** A stop sequence was found: nothing more is read. */
    get isDone() {
      return isDone;
    },
    push: (texts: readonly string[]): Iterable<AnswerPart> => joinTexts(read(texts)),
  };
}
