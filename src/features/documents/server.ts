// Documents on the server: their texts, for requests that carry documents and for programs that ask for them, and
// collections that are searched.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stateFolder } from '../../base/config/state-folder.ts';
import { messageOf } from '../../base/errors.ts';
import { toServerFeature } from '../../server/server-feature.ts';
import { AskModels } from './collections/ask-models.ts';
import { Collections } from './collections/collections.ts';
import { collectionFilesRoutes, collectionsRoutes } from './collections/collections-routes.ts';
import { IndexClient } from './collections/database/index-client.ts';
import { DocumentTexts } from './document-texts.ts';
import { DocumentUploads } from './document-uploads.ts';
import { documentsOperations } from './documents-operations.ts';
import { documentsRoutes } from './documents-routes.ts';
import { fileBatchesRoutes, vectorStoreFilesRoutes } from './vector-stores/vector-store-files-routes.ts';
import { vectorStoreSearchRoute, vectorStoresRoutes } from './vector-stores/vector-stores-routes.ts';

interface Opened {
  readonly documents: DocumentTexts;
  /** Absent: they are switched off. Documents of the API list them. */
  readonly collections?: Collections | 'off';
}

export const documentsServer = toServerFeature<Opened>({
  operations: documentsOperations,
  open({ settings, requests, uploadedFiles, isModelWanted, isModelUsed, childSettings, scriptOf, clock, logger }) {
    const script = scriptOf('features/documents/extract/extract-program');
    const documents = new DocumentTexts({ script, childSettings, clock });
    const { collections: choice, collectionsModel } = settings;
    if (choice === 'off') return { documents, collections: 'off', close: async () => documents.close() };
    const folder = choice === 'auto' ? join(stateFolder(), 'collections') : choice.folder;
    const index = new IndexClient({
      folder,
      script: scriptOf('features/documents/collections/database/index-thread'),
      clock,
    });
    const models = new AskModels(requests);
    const defaultModel = collectionsModel === '' ? undefined : collectionsModel;
    const parts = { index, documents, uploadedFiles, models, defaultModel, isModelWanted, isModelUsed };
    const collections = new Collections({ ...parts, clock, logger });
    return {
      documents,
      collections,
      passages: collections,
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
  routes({ documents, collections }, { clock }) {
    const uploads = new DocumentUploads();
    const texts = documentsRoutes(documents, uploads);
    if (collections === 'off') return texts;
    const opened = collections as Collections;
    return [
      ...texts,
      ...collectionsRoutes(opened),
      ...collectionFilesRoutes(opened, uploads),
      ...vectorStoresRoutes({ collections: opened, now: () => clock.now() }),
      vectorStoreSearchRoute(opened),
      ...vectorStoreFilesRoutes(opened),
      ...fileBatchesRoutes(opened),
    ];
  },
});
