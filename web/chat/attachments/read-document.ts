// PDF and DOCX files, whose text the server reads: POST /api/documents/text.

import type { DocumentTextResponseBody } from '../../../src/features/documents/documents-schema.ts';
import { requestJson } from '../../api/request.ts';
import type { AttachedFile } from '../../conversation/chat-document.ts';

/** Throws an error with the sentence of the server. */
export async function readDocument(file: File): Promise<AttachedFile> {
  const path = `/api/documents/text?name=${encodeURIComponent(file.name)}`;
  const { text, type, pages } = await requestJson<DocumentTextResponseBody>(path, { method: 'POST', body: file });
  return { name: file.name, text, pages: type === 'pdf' ? pages : undefined };
}
