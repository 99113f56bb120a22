// Measures the server over HTTP from the client.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

export interface StreamTiming {
  /** Milliseconds on the clock of the client. */
  readonly sent: number;
  readonly firstText: number;
  readonly ended: number;
  readonly tokens: number;
}

export interface StreamRequest {
  readonly url: string;
  readonly model: string;
  readonly prompt: string;
  readonly tokens: number;
  readonly seed: number;
  /** Of a server that has keys. */
  readonly key?: string;
  /** Other options; by default the ones of the bare loop. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly onPiece?: () => void;
  /** A schema of the answer. */
  readonly format?: object | undefined;
}

/**
 * One streamed request, read to its end. Uses plain HTTP, because a heavier client would take CPU time from the engine.
 */
export async function timeStream(stream: StreamRequest): Promise<StreamTiming> {
  const {
    url,
    model,
    prompt,
    tokens,
    seed,
    key,
    format,
    options: others = { temperature: 0.8, repeat_penalty: 1 },
  } = stream;
  const options = { num_predict: tokens, seed, ...others };
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const call = request(`${url}/api/generate`, { method: 'POST', headers });
  const sent = performance.now();
  call.end(JSON.stringify({ model, prompt, raw: true, format, options }));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let firstText = 0;
  let last: Buffer = Buffer.alloc(0);
  response.on('data', (chunk: Buffer) => {
    firstText ||= performance.now();
    last = chunk;
    stream.onPiece?.();
  });
  await once(response, 'end');
  const ended = performance.now();
  const end = JSON.parse(last.toString().trim().split('\n').at(-1) ?? '{}') as { eval_count?: number; error?: string };
  if (end.eval_count === undefined) throw new Error(end.error ?? `the stream ended with ${last}`);
  return { sent, firstText, ended, tokens: end.eval_count };
}

/** Milliseconds to the first piece of text of one streamed request, and between the others. */
export async function timePieces(
  stream: StreamRequest,
): Promise<{ readonly first: number; readonly between: readonly number[] }> {
  const times: number[] = [];
  const { sent } = await timeStream({ ...stream, onPiece: () => times.push(performance.now()) });
  const between = times.slice(1).map((time, index) => time - (times[index] as number));
  return { first: (times[0] as number) - sent, between };
}

// V8 compiles the code of a server that has just started while it runs, with threads that take processors from the model.
const warmingRequests = 200;

/** Short requests, so that later ones show the speed of a server that has run for a while. */
export async function warmUp(stream: StreamRequest): Promise<void> {
  for (let seed = 0; seed < warmingRequests; seed++) await timeStream({ ...stream, seed });
}

/** Tokens per second of parallel streams, from the first request to the end of the last answer. */
export function throughput(timings: readonly StreamTiming[]): number {
  const begun = Math.min(...timings.map(({ sent }) => sent));
  const ended = Math.max(...timings.map((timing) => timing.ended));
  return (timings.reduce((sum, { tokens }) => sum + tokens, 0) / (ended - begun)) * 1000;
}

/** Text of this many one-letter words with a prefix that no earlier request had. */
export function freshText(words: number): string {
  const salt = randomBytes(8).toString('hex');
  return `${salt} ${Array.from({ length: words }, (_, index) => String.fromCharCode(97 + ((index * 7) % 26))).join(' ')}`;
}
