// Vectors and ranks of passages, as requests of this server to itself: models, limits and usage are those of the key.

import { HearthError } from '../../../base/errors.ts';
import { asObject, parseJson } from '../../../base/json-values.ts';
import type { InternalRequests, InternalSender } from '../../../server/http/internal-requests.ts';

interface Sender {
  readonly sender: InternalSender;
  readonly signal: AbortSignal;
}

export class AskModels {
  readonly #requests: Pick<InternalRequests, 'send'>;

  constructor(requests: Pick<InternalRequests, 'send'>) {
    this.#requests = requests;
  }

  async embed(model: string, input: readonly string[], sender: Sender): Promise<Float32Array[]> {
    const { embeddings } = await this.#send('/api/embed', { model, input }, sender);
    if (!Array.isArray(embeddings) || embeddings.length !== input.length)
      throw new HearthError('request_failed', 'the embedding model sent no vectors');
    return embeddings.map((values) => Float32Array.from(values as number[]));
  }

  /** The indexes of the documents with their scores, the best first. */
  async rerank(model: string, query: string, documents: readonly string[], sender: Sender) {
    const { results } = await this.#send('/api/rerank', { model, query, documents }, sender);
    return results as readonly { readonly index: number; readonly relevance_score: number }[];
  }

  async #send(path: string, body: object, { sender, signal }: Sender): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.#requests.send({ path, body: Buffer.from(JSON.stringify(body)), sender, signal });
    const value = asObject(parseJson(response.body));
    if (response.status === 200) return value;
    const isBusy = response.status === 429 || response.status === 503;
    throw new HearthError(isBusy ? 'busy' : 'bad_request', String(value['error'] ?? `status ${response.status}`));
  }
}
