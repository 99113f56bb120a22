// Descriptions and examples of the routes of documents, collections and vector stores.

import type { OperationTable } from '../../server/http/openapi/operation.ts';

const id = 'coll_0123456789abcdef01234567';
const file = 'cfile_0123456789abcdef01234567';
const storeId = 'vs_0123456789abcdef01234567';
const uploaded = 'file-0123456789abcdef01234567';
const batch = 'vsfb_0123456789abcdef01234567';

export const documentsOperations: OperationTable = {
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
  'GET /api/collections/:id/files/:file/passages': {
    description: 'Shows the text around a passage: that of a page of a PDF, or of another document from a place on.',
    example: { path: { id, file }, query: { page: '2' } },
  },
  'GET /api/collections/:id/files/:file/content': {
    description: 'Sends a PDF file as it was added. Of other files, collections keep the text only.',
    example: { path: { id, file } },
  },
  'POST /v1/vector_stores': {
    description:
      'Creates a collection of uploaded files (/v1/files), as OpenAI has it: the same collections as those of /api/collections. Their texts are read afterwards.',
    example: { body: { name: 'Ferries', expires_after: { anchor: 'last_active_at', days: 7 } } },
  },
  'GET /v1/vector_stores': {
    description: 'Lists the collections of the key, or of all callers without keys.',
    example: { query: { limit: '10' } },
  },
  'GET /v1/vector_stores/:id': {
    description: 'Shows a collection, and how many files are read and have vectors.',
    example: { path: { id: storeId } },
  },
  'POST /v1/vector_stores/:id': {
    description: 'Changes the name, the metadata or the expiry of a collection.',
    example: { path: { id: storeId }, body: { name: 'Harbor' } },
  },
  'DELETE /v1/vector_stores/:id': {
    description: 'Removes a collection. Uploaded files stay.',
    example: { path: { id: storeId } },
  },
  'POST /v1/vector_stores/:id/search': {
    description: 'Finds passages, also with filters of attributes, a least score and weights of words and vectors.',
    example: {
      path: { id: storeId },
      body: { query: 'When do ferries leave?', filters: { type: 'eq', key: 'year', value: 2026 } },
    },
  },
  'POST /v1/vector_stores/:id/files': {
    description: 'Adds an uploaded file. It is read afterwards, and replaces one with the same id.',
    example: { path: { id: storeId }, body: { file_id: uploaded, attributes: { year: 2026 } } },
  },
  'GET /v1/vector_stores/:id/files': {
    description: 'Lists the files of a collection.',
    example: { path: { id: storeId }, query: { filter: 'failed' } },
  },
  'GET /v1/vector_stores/:id/files/:file': {
    description: 'Shows whether a file was read and has vectors, and why not.',
    example: { path: { id: storeId, file: uploaded } },
  },
  'POST /v1/vector_stores/:id/files/:file': {
    description: 'Replaces the attributes by which searches can filter.',
    example: { path: { id: storeId, file: uploaded }, body: { attributes: { year: 2025 } } },
  },
  'DELETE /v1/vector_stores/:id/files/:file': {
    description: 'Removes a file and its passages from a collection. The uploaded file stays.',
    example: { path: { id: storeId, file: uploaded } },
  },
  'GET /v1/vector_stores/:id/files/:file/content': {
    description: 'Shows the text of a file as its passages.',
    example: { path: { id: storeId, file: uploaded } },
  },
  'POST /v1/vector_stores/:id/file_batches': {
    description: 'Adds up to 1000 uploaded files, which are read one after the other.',
    example: { path: { id: storeId }, body: { file_ids: [uploaded] } },
  },
  'GET /v1/vector_stores/:id/file_batches/:batch': {
    description: 'Shows how many files of a batch are read.',
    example: { path: { id: storeId, batch } },
  },
  'POST /v1/vector_stores/:id/file_batches/:batch/cancel': {
    description: 'Leaves out the files of a batch that are not read yet.',
    example: { path: { id: storeId, batch } },
  },
  'GET /v1/vector_stores/:id/file_batches/:batch/files': {
    description: 'Lists the files of a batch.',
    example: { path: { id: storeId, batch } },
  },
};
