// The server over HTTP, measured from the client's side.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

export interface StreamTiming {
  /** Milliseconds on the client's clock. */
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
}

/** Reads one streamed request to its end. Plain HTTP: a heavier client would take processor time from the engine. */
export async function timeStream({ url, model, prompt, tokens, seed }: StreamRequest): Promise<StreamTiming> {
  const options = { num_predict: tokens, seed, temperature: 0.8, repeat_penalty: 1 };
  const call = request(`${url}/api/generate`, { method: 'POST' });
  const sent = performance.now();
  call.end(JSON.stringify({ model, prompt, raw: true, options }));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let firstText = 0;
  let last: Buffer = Buffer.alloc(0);
  response.on('data', (chunk: Buffer) => {
    firstText ||= performance.now();
    last = chunk;
  });
  await once(response, 'end');
  const ended = performance.now();
  const end = JSON.parse(last.toString().trim().split('\n').at(-1) ?? '{}') as { eval_count?: number; error?: string };
  if (end.eval_count === undefined) throw new Error(end.error ?? `the stream ended with ${last}`);
  return { sent, firstText, ended, tokens: end.eval_count };
}

/** Tokens per second of concurrent streams, from the first request to the end of the last answer. */
export function throughput(timings: readonly StreamTiming[]): number {
  const start = Math.min(...timings.map(({ sent }) => sent));
  const ended = Math.max(...timings.map((timing) => timing.ended));
  return (timings.reduce((sum, { tokens }) => sum + tokens, 0) / (ended - start)) * 1000;
}

/** Text of this many words, with a random start that no prefix cache has. A word is a letter. */
export function freshText(words: number): string {
  const salt = randomBytes(8).toString('hex');
  return `${salt} ${Array.from({ length: words }, (_, index) => String.fromCharCode(97 + ((index * 7) % 26))).join(' ')}`;
}
