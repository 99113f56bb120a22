// The ports for documents that requests carry or name: a feature reads their texts, another one stores uploaded files.

export interface DocumentSource {
  readonly bytes: Uint8Array;
  /** The name of the file; it may tell the type. */
  readonly name?: string | undefined;
  /** Such as application/pdf. */
  readonly mediaType?: string | undefined;
}

/** For whom a document is read. */
export interface DocumentCaller {
  /** Clients take turns. */
  readonly client: string;
  readonly signal: AbortSignal;
}

export type DocumentType = 'pdf' | 'docx' | 'html' | 'text';

export interface DocumentText {
  readonly type: DocumentType;
  /** One text for a document without pages. */
  readonly pages: readonly string[];
}

export interface DocumentReader {
  /** Rejects with `bad_request` if the document cannot be read, and with `busy` if too many wait. */
  read(source: DocumentSource, caller: DocumentCaller): Promise<DocumentText>;
}

interface UploadedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface UploadedFiles {
  /** Name and size in bytes. Rejects with `file_not_found`. */
  find(keyId: string | undefined, id: string): Promise<{ readonly name: string; readonly size: number }>;
  /** `keyId`: the caller has this key. Rejects with `file_not_found`, and with `bad_request` if it is too large. */
  read(keyId: string | undefined, id: string): Promise<UploadedFile>;
}
