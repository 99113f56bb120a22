// Documents on the server: their texts, for requests that carry documents and for programs that ask for them.

import { toServerFeature } from '../../server/server-feature.ts';
import { DocumentTexts } from './document-texts.ts';
import { documentsRoutes } from './documents-routes.ts';

export const documentsServer = toServerFeature<{ readonly documents: DocumentTexts }>({
  operations: {
    'POST /api/documents/text': {
      description:
        'Reads the text of a document: PDF, DOCX, HTML, Markdown, CSV, code or other text, up to 32 MiB and 2000 pages. It is not stored.',
      example: { query: { name: 'report.pdf' }, file: 'report.pdf' },
    },
  },
  open({ childSettings, scriptOf, clock }) {
    const script = scriptOf('features/documents/extract/extract-program');
    const documents = new DocumentTexts({ script, childSettings, clock });
    return { documents, close: async () => documents.close() };
  },
  routes: ({ documents }) => documentsRoutes(documents),
});
