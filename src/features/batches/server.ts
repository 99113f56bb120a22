// Batches on the server: files that callers upload, and work that runs when nobody else needs the models.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stateFolder } from '../../base/config/state-folder.ts';
import { badRequest } from '../../base/errors.ts';
import { toServerFeature } from '../../server/server-feature.ts';
import type { UploadedFiles } from '../../server/services/documents/document-reader.ts';
import { batchesRoutes } from './batches-routes.ts';
import { filesRoutes, ownerOfKey } from './files-routes.ts';
import { Batches } from './run/batches.ts';
import { LineSlots } from './run/line-slots.ts';
import { BatchStore } from './store/batch-store.ts';
import { FileStore } from './store/file-store.ts';

const fileId = 'file-0123456789abcdef01234567';
const batchId = 'batch_0123456789abcdef01234567';

interface Opened {
  readonly isOff?: true;
  readonly files?: FileStore;
  readonly store?: BatchStore;
  readonly batches?: Batches;
}

export const batchesServer = toServerFeature<Opened>({
  operations: {
    'POST /v1/files': {
      description:
        'Stores a file: a form with the fields file and purpose. Each line for a batch is a request: custom_id, method, url, body. Requests name documents (purpose user_data) by their ids.',
      example: { form: { purpose: 'batch', file: '@questions.jsonl' } },
    },
    'GET /v1/files': { description: 'Lists the files of the key, or of all callers without keys.', example: {} },
    'GET /v1/files/:id': {
      description: 'Shows the name, size and purpose of a file.',
      example: { path: { id: fileId } },
    },
    'DELETE /v1/files/:id': { description: 'Removes a file.', example: { path: { id: fileId } } },
    'GET /v1/files/:id/content': {
      description: 'Sends the bytes of a file, such as the results of a batch.',
      example: { path: { id: fileId } },
    },
    'POST /v1/batches': {
      description:
        'Asks all lines of a file in the background: they get what no other request needs. The answers are lines of a new file.',
      example: {
        body: { input_file_id: fileId, endpoint: '/v1/chat/completions', completion_window: '24h' },
      },
    },
    'GET /v1/batches': { description: 'Lists the batches of the key, or of all callers without keys.', example: {} },
    'GET /v1/batches/:id': {
      description: 'Shows how far a batch is, and the files of its results.',
      example: { path: { id: batchId } },
    },
    'POST /v1/batches/:id/cancel': {
      description: 'Ends a batch. Lines that run are not answered; the answers that exist become files.',
      example: { path: { id: batchId } },
    },
  },
  open({ settings, requests, isModelWanted, clock, logger }) {
    const { batches: choice, batchStorage: maxOwnerBytes, batchParallel: count } = settings;
    if (choice === 'off') return { isOff: true };
    const folder = choice === 'auto' ? join(stateFolder(), 'batches') : choice.folder;
    const files = new FileStore({ folder, maxOwnerBytes, clock });
    const store = new BatchStore(folder);
    const slots = new LineSlots({ count: Math.max(1, count), isNeeded: isModelWanted, clock });
    const batches = new Batches(folder, { files, batches: store, requests, slots, clock, logger });
    return {
      files,
      store,
      batches,
      uploadedFiles: openUploadedFiles(files, batches),
      start: () => batches.start(),
      stop: () => batches.stop(),
      close: () => batches.close(),
    };
  },
  routes({ isOff, files, store, batches }, { clock }) {
    if (isOff) return [];
    const opened = batches as Batches;
    return [
      ...filesRoutes({ files: files as FileStore, batches: opened, now: () => clock.now() }),
      ...batchesRoutes(opened, store as BatchStore),
    ];
  },
});

/** Larger files are for batches. */
const maxReadBytes = 32 * 2 ** 20;

function openUploadedFiles(files: FileStore, batches: Batches): UploadedFiles {
  return {
    async find(keyId, id) {
      await batches.open();
      const { filename: name, bytes: size } = files.find(ownerOfKey(keyId), id);
      return { name, size };
    },
    async read(keyId, id) {
      await batches.open();
      const owner = ownerOfKey(keyId);
      const { filename: name, bytes } = files.find(owner, id);
      if (bytes > maxReadBytes)
        throw badRequest(`the file "${id}" has more than ${maxReadBytes / 2 ** 20} MiB, the limit for a document`);
      return { name, bytes: await readFile(files.pathOf(owner, id)) };
    },
  };
}
