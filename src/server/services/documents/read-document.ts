// Reads a document that a request carries, or an uploaded file that it names.

import { HearthError } from '../../../base/errors.ts';
import type { RequestScope } from '../../../base/request/request-scope.ts';
import type { DocumentReader, DocumentSource, UploadedFiles } from './document-reader.ts';
import { joinPages } from './document-text.ts';

export interface CarriedDocument {
  /** The document itself, in base64. Absent: `fileId` names it. */
  readonly base64?: string | undefined;
  readonly mediaType?: string | undefined;
  /** The name that the request gives it. */
  readonly name?: string | undefined;
  readonly fileId?: string | undefined;
}

export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** Rejects with `bad_request` if the document cannot be read, and with `file_not_found`. */
export type ReadDocument = (document: CarriedDocument, scope: RequestScope) => Promise<NamedText>;

const defaultName = 'document';

/** Without `files`, the server keeps no uploaded files. */
export function createReadDocument(reader: DocumentReader, files: UploadedFiles | undefined): ReadDocument {
  async function find({ fileId, base64 = '', mediaType, name }: CarriedDocument, keyId: string | undefined) {
    if (fileId === undefined) return { bytes: Buffer.from(base64, 'base64'), mediaType, name };
    if (files === undefined)
      throw new HearthError('unsupported', 'this server stores no files (HEARTH_BATCHES); send the document itself');
    const file = await files.read(keyId, fileId);
    return { ...file, name: name ?? file.name };
  }

  return async (document, { key, client, signal }) => {
    const source: DocumentSource = await find(document, key?.id);
    const text = joinPages(await reader.read(source, { client, signal }));
    return { name: source.name === undefined || source.name === '' ? defaultName : source.name, text };
  };
}
