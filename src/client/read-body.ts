// What comes back from the server, read with limits: one JSON value, a stream of them a line each, or an error's text.

import type { Readable } from 'node:stream';
import { messageOf } from '../base/errors.ts';
import { ClientError } from './client-error.ts';
import { createLineDecoder } from './line-decoder.ts';
import { type Answer, toClientError } from './transport.ts';

// Bytes. A vocabulary in full, as `show` sends it when asked, has some ten million.
const maxBody = 128 * 2 ** 20;
const maxErrorText = 64 * 2 ** 10;

export interface Reading {
  /** For what errors say. */
  readonly url: string;
  readonly signal?: AbortSignal;
}

/** Throws what the server refused with. */
export async function checkAnswer({ status, body }: Answer, reading: Reading): Promise<void> {
  if (status < 400) return;
  const text = (await readText(body, maxErrorText, reading).catch(() => '')).trim();
  throw new ClientError('refused', errorText(text) ?? `the server answered with status ${status}`, { status });
}

export async function readJson<T>({ body }: Answer, reading: Reading): Promise<T> {
  return parse(await readText(body, maxBody, reading)) as T;
}

export interface StreamReading<T> extends Reading {
  /** Whether it is the object that ends such a stream; without it the answer is not whole. */
  readonly isLast: (object: T) => boolean;
}

/** Leaving the loop early closes the connection, which tells the server to stop. */
export async function* readObjects<T extends object>(answer: Answer, reading: StreamReading<T>): AsyncGenerator<T> {
  const { body } = answer;
  let complete = false;
  try {
    for await (const line of readLines(body, reading)) {
      const object = parse(line);
      if ('error' in object) throw new ClientError('refused', String(object.error));
      complete = reading.isLast(object as T);
      yield object as T;
    }
    if (!complete) throw new ClientError('broken', 'the server ended its answer before it was complete');
  } finally {
    body.destroy();
  }
}

async function* readLines(body: Readable, { url, signal }: Reading): AsyncGenerator<string> {
  const decoder = createLineDecoder();
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) yield* decoder.push(chunk);
    yield* decoder.end();
  } catch (error) {
    throw toClientError(error, url, signal);
  }
}

async function readText(body: Readable, limit: number, { url, signal }: Reading): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > limit) throw new ClientError('broken', `the server sent more than ${limit} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw toClientError(error, url, signal);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ClientError('broken', `the server sent something that is not JSON: ${messageOf(error)}`);
  }
  if (typeof value === 'object' && value !== null) return value;
  throw new ClientError('broken', 'the server sent something that is not a JSON object');
}

/** The text under `error`, or a text that is no JSON at all; undefined when it is an object without one. */
function errorText(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    return typeof error === 'string' && error !== '' ? error : undefined;
  } catch {
    return text;
  }
}
