// Files that the user adds to a message: images for models that see, texts, and documents whose text the server reads.

import type { AttachedFile } from '../../conversation/chat-document.ts';
import { t } from '../../language/language.ts';

export type Attachment =
  | { readonly kind: 'image'; readonly name: string; readonly base64: string }
  | ({ readonly kind: 'text' } & AttachedFile);

const maxTextBytes = 2 ** 20;
const maxImageBytes = 20 * 2 ** 20;
const maxDocumentBytes = 32 * 2 ** 20;
/** The image types that the server reads. */
const serverTypes = ['image/png', 'image/jpeg', 'image/webp'];

/** Throws an error with a sentence for the user. */
export async function readAttachment(file: File): Promise<Attachment> {
  if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') return readImage(file);
  if (await isDocument(file)) return attachDocument(file);
  if (file.size > maxTextBytes) throw tooLarge(file, '1 MiB');
  const text = decodeText(await file.arrayBuffer());
  if (text === undefined) throw new Error(t('{name} is neither an image nor a text file.', { name: file.name }));
  return { kind: 'text', name: file.name, text };
}

/** PDF and DOCX files by their first bytes. HTML is code as well as a document, and stays as it is. */
async function isDocument(file: File): Promise<boolean> {
  const head = new TextDecoder('latin1').decode(await file.slice(0, 1024).arrayBuffer());
  return head.includes('%PDF-') || head.startsWith('PK\x03\x04');
}

async function attachDocument(file: File): Promise<Attachment> {
  if (file.size > maxDocumentBytes) throw tooLarge(file, '32 MiB');
  const { readDocument } = await import('./read-document.ts');
  const document = await readDocument(file);
  // A conversation keeps the text.
  if (document.text.length > maxTextBytes) throw tooLarge(file, '1 MiB');
  return { kind: 'text', ...document };
}

function tooLarge({ name }: File, size: string): Error {
  return new Error(t('{name} is larger than {size}.', { name, size }));
}

async function readImage(file: File): Promise<Attachment> {
  const image = serverTypes.includes(file.type) ? file : await toPng(file);
  if (image.size > maxImageBytes) throw tooLarge(file, '20 MiB');
  return { kind: 'image', name: file.name, base64: toBase64(new Uint8Array(await image.arrayBuffer())) };
}

/** Other formats, such as GIF, are drawn: the server does not read them. */
async function toPng(file: File): Promise<Blob> {
  try {
    const bitmap = await createImageBitmap(file);
    const canvas = document.createElement('canvas');
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob !== null) return blob;
  } catch {
    // Reported below.
  }
  throw new Error(t('{name} is an image that this browser cannot read.', { name: file.name }));
}

/** undefined: the bytes are not UTF-8, or contain a zero, as most binary files do. */
export function decodeText(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** More arguments of one call exceed the stack. */
const maxArguments = 0x8000;

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += maxArguments)
    binary += String.fromCharCode(...bytes.subarray(start, start + maxArguments));
  return btoa(binary);
}

/** The address of an image in a message. The first bytes tell its type. */
export function toDataAddress(base64: string): string {
  const type = base64.startsWith('/9j/') ? 'jpeg' : base64.startsWith('UklGR') ? 'webp' : 'png';
  return `data:image/${type};base64,${base64}`;
}
