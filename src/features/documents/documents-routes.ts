// POST /api/documents/text

import { Type } from 'typebox';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import { joinPages } from '../../server/services/documents/document-text.ts';
import type { DocumentTexts } from './document-texts.ts';
import type { DocumentUploads } from './document-uploads.ts';
import { DocumentTextResponseBody } from './documents-schema.ts';

export const documentRoute = { dialect: ollamaDialect, scope: 'infer', tag: 'Documents' } as const;
export const nameQuery = { name: Type.String({ description: 'The name of the file. It may tell the type.' }) };

export function documentsRoutes(documents: DocumentTexts, uploads: DocumentUploads): Route[] {
  return [
    {
      ...documentRoute,
      method: 'POST',
      path: '/api/documents/text',
      summary: 'Read the text of a document: PDF, DOCX, HTML or text',
      query: nameQuery,
      readsBody: true,
      response: DocumentTextResponseBody,
      handle: (request): Promise<DocumentTextResponseBody> =>
        uploads.use(request, async (source, caller) => {
          const read = await documents.read(source, caller);
          const text = joinPages(read);
          return { type: read.type, pages: read.pages.length, characters: text.length, text };
        }),
    },
  ];
}
