// Reads the answer of a remote: lines or events to parts, up to its end. An answer that ends without saying so is a
// failure.

import type { RemoteKind } from './endpoint.ts';
import { readEventData, readLines } from './http/read-lines.ts';
import { brokenAnswer } from './http/remote-error.ts';
import type { RemoteResponse } from './http/remote-http.ts';
import type { AnswerPart, WireRequest } from './wire/answer-part.ts';
import { createStopCutter } from './wire/cut-at-stops.ts';
import { parseWireObject } from './wire/json-fields.ts';
import { createOllamaReader } from './wire/ollama.ts';
import { createOpenAiReader } from './wire/openai-reader.ts';

export interface AnswerSource {
  readonly remote: string;
  readonly kind: RemoteKind;
  readonly response: Pick<RemoteResponse, 'chunks'>;
  readonly request: Pick<WireRequest, 'ownStops'>;
}

/** Leaving the loop closes the connection. */
export async function* readAnswer({ remote, kind, response, request }: AnswerSource): AsyncGenerator<AnswerPart> {
  const reader = kind === 'ollama' ? createOllamaReader(remote) : createOpenAiReader(remote);
  const cutter = request.ownStops.length === 0 ? undefined : createStopCutter(request.ownStops);
  let isComplete = false;
  for await (const text of textsOf(kind, response, remote)) {
    const object = parseWireObject(text);
    if (object === undefined) throw brokenAnswer(remote, 'sent something that is not JSON');
    for (const part of reader.push(object)) {
      const { parts, isDone } = cutter?.push(part) ?? { parts: [part], isDone: false };
      isComplete ||= parts.some(({ type }) => type === 'finish');
      yield* parts;
      if (isDone) return;
    }
  }
  if (!isComplete) throw brokenAnswer(remote, 'ended its answer before it was complete');
}

/** The JSON texts of the answer. */
async function* textsOf(
  kind: RemoteKind,
  { chunks }: Pick<RemoteResponse, 'chunks'>,
  remote: string,
): AsyncGenerator<string> {
  const lines = readLines(chunks, remote);
  if (kind === 'ollama') {
    for await (const line of lines) if (line.trim() !== '') yield line;
    return;
  }
  for await (const data of readEventData(lines, remote)) {
    if (data === '[DONE]') return;
    yield data;
  }
}
