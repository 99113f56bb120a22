// Reads response bodies within limits: one JSON object, a stream of JSON objects, or an error.

import type { Readable } from 'node:stream';
import { messageOf } from '../base/errors.ts';
import { createLineSplitter, type LineSplitter } from '../base/text/line-splitter.ts';
import { ClientError, foreignProgram, parseErrorCode } from './client-error.ts';
import { type TransportResponse, toClientError } from './transport.ts';

// `show` with `verbose` sends an entire vocabulary: about ten million bytes.
const maxBodyBytes = 128 * 2 ** 20;
const maxErrorBytes = 64 * 2 ** 10;

interface ReadOptions {
  /** For error messages. */
  readonly url: string;
  readonly signal?: AbortSignal;
}

/** Throws if the status is that of an error, and for a web page. */
export async function checkStatus({ status, headers, body }: TransportResponse, options: ReadOptions): Promise<void> {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type === 'text/html') {
    body.resume();
    // A proxy sends a page, too, if the server behind it does not answer.
    if (status >= 500) throw new ClientError('refused', `the server answered with status ${status}`, { status });
    throw foreignProgram(options.url, `answered ${type}`);
  }
  if (status < 400) return;
  const text = (await readText(body, maxErrorBytes, options).catch(() => '')).trim();
  const { message = `the server answered with status ${status}`, code } = parseErrorText(text);
  throw new ClientError('refused', message, { status, code });
}

export async function readJson<T>({ body }: TransportResponse, options: ReadOptions): Promise<T> {
  return parseObject(await readText(body, maxBodyBytes, options)) as T;
}

interface StreamOptions<T> extends ReadOptions {
  /** Whether this object ends the stream. A stream without such an object is incomplete. */
  readonly isLast: (object: T) => boolean;
}

/** Leaving the loop closes the connection, which tells the server to stop. */
export async function* readObjectStream<T extends object>(
  { body }: TransportResponse,
  options: StreamOptions<T>,
): AsyncGenerator<T> {
  let complete = false;
  try {
    for await (const line of readLines(body, options)) {
      const object: { readonly error?: unknown; readonly code?: unknown } = parseObject(line);
      if ('error' in object)
        throw new ClientError('refused', String(object.error), { code: parseErrorCode(object.code) });
      complete = options.isLast(object as T);
      yield object as T;
    }
    if (!complete) throw new ClientError('broken', 'the server ended the response before it was complete');
  } finally {
    body.destroy();
  }
}

async function* readLines(body: Readable, { url, signal }: ReadOptions): AsyncGenerator<string> {
  const decoder = createLineDecoder();
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) yield* decoder.push(chunk);
    yield* decoder.end();
  } catch (error) {
    throw toClientError(error, url, signal);
  }
}

async function readText(body: Readable, maxBytes: number, { url, signal }: ReadOptions): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new ClientError('broken', `the server sent more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw toClientError(error, url, signal);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ClientError('broken', `the server sent something that is not JSON: ${messageOf(error)}`);
  }
  if (typeof value === 'object' && value !== null) return value;
  throw new ClientError('broken', 'the server sent something that is not a JSON object');
}

/** Text that is not JSON is itself the message: proxies send such errors. */
function parseErrorText(text: string): { message?: string; code?: ReturnType<typeof parseErrorCode> } {
  if (text === '') return {};
  try {
    const { error, code } = JSON.parse(text) as { readonly error?: unknown; readonly code?: unknown };
    return { message: typeof error === 'string' && error !== '' ? error : undefined, code: parseErrorCode(code) };
  } catch {
    return { message: text };
  }
}

// The longest valid line is the last one of a response: it lists the tokens of an entire context.
const maxLineBytes = 16 * 2 ** 20;

/** Leaves out blank lines. */
export function createLineDecoder(maxBytes = maxLineBytes): LineSplitter {
  const { push, end } = createLineSplitter({ maxBytes, tooLong });
  return { push: (chunk) => push(chunk).filter(isNotBlank), end: () => end().filter(isNotBlank) };
}

function tooLong(maxBytes: number): ClientError {
  return new ClientError('broken', `the server sent a line of more than ${maxBytes} bytes`);
}

function isNotBlank(line: string): boolean {
  return line.trim() !== '';
}
