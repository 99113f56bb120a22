// Documents on the server: their texts, for requests that carry documents and for programs that ask for them, and
// collections that are searched.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stateFolder } from '../../base/config/state-folder.ts';
import { messageOf } from '../../base/errors.ts';
import { toServerFeature } from '../../server/server-feature.ts';
import { Collections } from './collections/collections.ts';
import { collectionsRoutes } from './collections/collections-routes.ts';
import { IndexClient } from './collections/index-client.ts';
import { DocumentTexts } from './document-texts.ts';
import { DocumentUploads } from './document-uploads.ts';
import { documentsRoutes } from './documents-routes.ts';

const id = 'coll_0123456789abcdef01234567';
const file = 'cfile_0123456789abcdef01234567';

interface Opened {
  readonly documents: DocumentTexts;
  /** Absent: they are switched off. Documents of the API list them. */
  readonly collections?: Collections | 'off';
}

export const documentsServer = toServerFeature<Opened>({
  operations: {
    'POST /api/documents/text': {
      description:
        'Reads the text of a document: PDF, DOCX, HTML, Markdown, CSV, code or other text, up to 32 MiB and 2000 pages. It is not stored.',
      example: { query: { name: 'report.pdf' }, file: 'report.pdf' },
    },
    'POST /api/collections': {
      description:
        'Creates a collection of documents. With an embedding model, passages are found by meaning as well as by words. A reranker ranks what was found.',
      example: { body: { name: 'Ferries' } },
    },
    'GET /api/collections': {
      description: 'Lists the collections of the key, or of all callers without keys.',
      example: {},
    },
    'GET /api/collections/:id': {
      description: 'Shows a collection: its files, and how many passages have a vector.',
      example: { path: { id } },
    },
    'DELETE /api/collections/:id': { description: 'Removes a collection and its files.', example: { path: { id } } },
    'POST /api/collections/:id/files': {
      description:
        'Splits a document into passages and adds them. They are found by words at once; vectors are computed in the background, when nobody else needs the models.',
      example: { path: { id }, query: { name: 'report.pdf' }, file: 'report.pdf' },
    },
    'DELETE /api/collections/:id/files/:file': {
      description: 'Removes a document and its passages from a collection.',
      example: { path: { id, file } },
    },
    'POST /api/collections/:id/search': {
      description: 'Finds the passages that fit a question best, with their file, page and place in its text.',
      example: { path: { id }, body: { query: 'When do ferries leave?', limit: 3 } },
    },
  },
  open({ settings, requests, isModelWanted, childSettings, scriptOf, clock, logger }) {
    const script = scriptOf('features/documents/extract/extract-program');
    const documents = new DocumentTexts({ script, childSettings, clock });
    const { collections: choice } = settings;
    if (choice === 'off') return { documents, collections: 'off', close: async () => documents.close() };
    const folder = choice === 'auto' ? join(stateFolder(), 'collections') : choice.folder;
    const index = new IndexClient({ folder, script: scriptOf('features/documents/collections/index-thread'), clock });
    const collections = new Collections({ index, documents, requests, isModelWanted, clock, logger });
    return {
      documents,
      collections,
      start() {
        if (!existsSync(folder)) return;
        collections
          .start()
          .catch((error: unknown) => logger.warn('collections are not opened', { reason: messageOf(error) }));
      },
      async close() {
        documents.close();
        await collections.close();
      },
    };
  },
  routes({ documents, collections }) {
    const uploads = new DocumentUploads();
    const own = collections === 'off' ? [] : collectionsRoutes(collections as Collections, uploads);
    return [...documentsRoutes(documents, uploads), ...own];
  },
});
