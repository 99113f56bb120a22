// The type of a document: by its first bytes, then by its name and media type.

import { badRequest } from '../../base/errors.ts';
import type { DocumentSource, DocumentType } from '../../server/services/documents/document-reader.ts';

// Some programs write other bytes before the header, and readers accept that.
const pdfHeaderWithin = 1024;
const docxMediaType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const startOfHtml = /^\s{0,100}(?:<!doctype\s+html|<html[\s>])/i;

/** Throws `bad_request` for a file that is none of them. A text is not decoded here. */
export function detectType({ bytes, name = '', mediaType = '' }: DocumentSource): DocumentType {
  const extension = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase();
  const media = mediaType.split(';', 1)[0]?.trim().toLowerCase();
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, pdfHeaderWithin));
  if (bytes.length === 0) throw badRequest('it is empty');
  if (head.includes('%PDF-')) return 'pdf';
  if (startsWith(head, 0x50, 0x4b, 0x03, 0x04)) return 'docx';
  if (startsWith(head, 0xd0, 0xcf, 0x11, 0xe0))
    throw badRequest('it is an old or encrypted file of an office program; save it as DOCX or PDF without a password');
  if (extension === 'pdf' || media === 'application/pdf') throw badRequest('it is no PDF file');
  if (extension === 'docx' || media === docxMediaType) throw badRequest('it is no DOCX file');
  const isHtml = ['html', 'htm', 'xhtml'].includes(extension ?? '') || media === 'text/html';
  // A page without a name, such as one that a program has downloaded.
  const isNamed = extension !== undefined || (media?.startsWith('text/') === true && media !== 'text/html');
  return isHtml || (!isNamed && startOfHtml.test(head.toString('latin1'))) ? 'html' : 'text';
}

function startsWith(bytes: Uint8Array, ...start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
