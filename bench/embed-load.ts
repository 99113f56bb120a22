// Embeds many texts of mixed length: over HTTP in one request, and through a lease on the engine.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { resolveOptions } from '../src/models/options.ts';
import { never, startEngine } from '../test/support/engine.ts';
import { mixedTexts } from './mixed-texts.ts';

export interface EmbedLoad {
  /** Tokens per second, from the request to the last vector. */
  run(texts: number, seed: number): Promise<number>;
  stop(): Promise<void>;
}

export function embedOverHttp(url: string, model: string): EmbedLoad {
  return {
    async run(texts, seed) {
      const body = JSON.stringify({ model, input: mixedTexts(texts, seed) });
      const begun = performance.now();
      const call = request(`${url}/api/embed`, { method: 'POST' });
      call.end(body);
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      await once(response, 'end');
      const seconds = (performance.now() - begun) / 1000;
      const answer = JSON.parse(Buffer.concat(chunks).toString()) as EmbedAnswer;
      if (answer.embeddings?.length !== texts) throw new Error(answer.error ?? 'not every text has a vector');
      return (answer.prompt_eval_count ?? 0) / seconds;
    },
    stop: async () => {},
  };
}

interface EmbedAnswer {
  readonly embeddings?: readonly (readonly number[])[];
  readonly prompt_eval_count?: number;
  readonly error?: string;
}

export async function embedThroughLease(path: string): Promise<EmbedLoad> {
  const engine = startEngine();
  const source = { kind: 'local' as const, key: path, weightsPath: path, adapterPaths: [], fileBytes: 0 };
  const lease = await engine.acquire({ name: 'bench', source, options: resolveOptions({}).load }, never);
  return {
    async run(count, seed) {
      const texts = mixedTexts(count, seed);
      const begun = performance.now();
      const { tokens } = await lease.embed({ texts, truncate: true }, never);
      return (tokens.reduce((sum, length) => sum + length, 0) / (performance.now() - begun)) * 1000;
    },
    stop: () => engine.close(0),
  };
}
