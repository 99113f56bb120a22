// POST /api/documents/text

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { HearthError } from '../../base/errors.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import { joinPages } from '../../server/services/documents/document-text.ts';
import { documentLimits } from './document-limits.ts';
import type { DocumentTexts } from './document-texts.ts';
import { DocumentTextResponseBody } from './documents-schema.ts';

// Documents are in memory until they are read.
const maxUploads = { client: 4, all: 16 };

export function documentsRoutes(documents: DocumentTexts): Route[] {
  const uploads = new Map<string, number>();
  return [
    {
      dialect: ollamaDialect,
      scope: 'infer',
      tag: 'Documents',
      method: 'POST',
      path: '/api/documents/text',
      summary: 'Read the text of a document: PDF, DOCX, HTML or text',
      query: { name: Type.String({ description: 'The name of the file. It may tell the type.' }) },
      readsBody: true,
      response: DocumentTextResponseBody,
      async handle(request): Promise<DocumentTextResponseBody> {
        const { client, signal } = request.scope;
        const { name } = request.query as { readonly name?: string };
        const end = begin(uploads, client);
        try {
          const read = await documents.read({ bytes: await readBody(request), name }, { client, signal });
          const text = joinPages(read);
          return { type: read.type, pages: read.pages.length, characters: text.length, text };
        } finally {
          end();
        }
      },
    },
  ];
}

function begin(uploads: Map<string, number>, client: string): () => void {
  const own = uploads.get(client) ?? 0;
  const all = [...uploads.values()].reduce((sum, count) => sum + count, 0);
  if (own >= maxUploads.client || all >= maxUploads.all)
    throw new HearthError('busy', 'too many documents are sent at the same time; try again later');
  uploads.set(client, own + 1);
  return () => {
    const left = (uploads.get(client) ?? 1) - 1;
    if (left === 0) uploads.delete(client);
    else uploads.set(client, left);
  };
}

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
