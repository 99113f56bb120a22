// Documents that are uploaded. They are in memory until they are read, so that their number is bounded.

import type { FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import type { DocumentCaller, DocumentSource } from '../../server/services/documents/document-reader.ts';
import { documentLimits } from './document-limits.ts';

const maxUploads = { client: 4, all: 16 };

export class DocumentUploads {
  readonly #counts = new Map<string, number>();

  /** Rejects with `busy` if too many are uploaded, and with `body_too_large`. */
  async use<Result>(
    request: FastifyRequest,
    work: (source: DocumentSource, caller: DocumentCaller) => Promise<Result>,
  ): Promise<Result> {
    const { client, signal } = request.scope;
    const { name } = request.query as { readonly name?: string };
    const own = this.#counts.get(client) ?? 0;
    const all = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    if (own >= maxUploads.client || all >= maxUploads.all)
      throw new HearthError('busy', 'too many documents are sent at the same time; try again later');
    this.#counts.set(client, own + 1);
    try {
      return await work({ bytes: await readBody(request), name: name?.slice(-maxNameLength) }, { client, signal });
    } finally {
      const left = (this.#counts.get(client) ?? 1) - 1;
      if (left === 0) this.#counts.delete(client);
      else this.#counts.set(client, left);
    }
  }
}

const maxNameLength = 255;

async function readBody({ body }: FastifyRequest): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > documentLimits.fileBytes)
      throw new HearthError('body_too_large', `the document has more than ${documentLimits.fileBytes / 2 ** 20} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
