// Documents that are uploaded. They are in memory until they are read, so that their number is bounded.

import type { FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import { UploadLimit } from '../../server/http/receiving/upload-limit.ts';
import type { DocumentCaller, DocumentSource } from '../../server/services/documents/document-reader.ts';
import { documentLimits } from './document-limits.ts';

export class DocumentUploads {
  readonly #limit = new UploadLimit({ what: 'documents', client: 4, all: 16 });

  /** Rejects with `busy` if too many are uploaded, and with `body_too_large`. */
  use<Result>(
    request: FastifyRequest,
    work: (source: DocumentSource, caller: DocumentCaller) => Promise<Result>,
  ): Promise<Result> {
    const { client, signal } = request.scope;
    const { name } = request.query as { readonly name?: string };
    return this.#limit.use(client, async () =>
      work({ bytes: await readBody(request), name: name?.slice(-maxNameLength) }, { client, signal }),
    );
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
