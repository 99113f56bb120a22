// Reads an uploaded form: fields, and one file. The file is handed on while it arrives.

import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { createDeferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';

interface FormFile {
  readonly filename: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The fields of the form. Complete when the chunks have ended. */
  readonly fields: ReadonlyMap<string, string>;
}

interface FormOptions {
  readonly maxFileBytes: number;
  /** The fields that it needs besides the file, for messages. */
  readonly needs: string;
}

const limits = { files: 1, fields: 20, parts: 30, fieldSize: 4096, fieldNameSize: 100, headerPairs: 20 };

/** Calls `use` with the file of the form. Throws `bad_request` if the body is no form, or has no file. */
export async function readForm<Result>(
  request: FastifyRequest,
  { maxFileBytes, needs }: FormOptions,
  use: (file: FormFile) => Promise<Result>,
): Promise<Result> {
  const contentType = contentTypeOf(request);
  if (!contentType.toLowerCase().startsWith('multipart/form-data'))
    throw new HearthError(
      'bad_request',
      `the body must be a form (multipart/form-data) with the fields file and ${needs}`,
    );
  const { Busboy } = await import('@fastify/busboy');
  const fields = new Map<string, string>();
  let used: Promise<Result> | undefined;
  let received: PassThrough | undefined;
  const finished = createDeferred<void>();
  // Nobody waits if there is no file.
  finished.promise.catch(() => {});
  try {
    const form = new Busboy({
      headers: { 'content-type': contentType },
      limits: { ...limits, fileSize: maxFileBytes },
      // Some clients name no type, and a field is no file.
      isPartAFile: (name) => name === 'file',
    });
    // Values of a list have the same name.
    form.on('field', (name, value) => {
      const before = fields.get(name);
      fields.set(name, before === undefined || !name.endsWith('[]') ? value : `${before},${value}`);
    });
    form.on('file', (_name, stream, filename = '') => {
      const chunks = new PassThrough();
      received = chunks;
      // Nobody may read it any more.
      chunks.on('error', () => {});
      stream.on('limit', () => chunks.destroy(tooLarge(maxFileBytes)));
      stream.on('error', (error) => chunks.destroy(error));
      stream.pipe(chunks);
      used = use({ filename: filename || 'file', chunks: waitingFor(chunks, finished.promise), fields });
      // What is left of a refused file is read and dropped, so that the client sees the answer.
      used.catch(() => stream.unpipe(chunks).resume());
    });
    await pipeline(Readable.from((request.body ?? []) as AsyncIterable<Uint8Array>), form);
    finished.resolve();
  } catch (error) {
    // Otherwise the file would wait for its end forever.
    finished.reject(error as Error);
    received?.destroy(error as Error);
    await used?.catch(() => {});
    if (error instanceof HearthError) throw error;
    throw new HearthError('bad_request', 'the form cannot be read', { cause: error });
  }
  if (used === undefined) throw new HearthError('bad_request', 'the form has no field "file"');
  return used;
}

/** The fields may follow the file, so that its end is that of the form. */
async function* waitingFor(chunks: PassThrough, finished: Promise<void>): AsyncGenerator<Uint8Array> {
  yield* chunks;
  await finished;
}

/** The server reads most bodies as JSON, and has replaced the header that says otherwise. */
function contentTypeOf({ raw: { rawHeaders } }: FastifyRequest): string {
  const index = rawHeaders.findIndex((name, place) => place % 2 === 0 && name.toLowerCase() === 'content-type');
  return index === -1 ? '' : (rawHeaders[index + 1] ?? '');
}

function tooLarge(maxFileBytes: number): HearthError {
  return new HearthError('body_too_large', `the file has more than ${maxFileBytes / 2 ** 20} MiB`);
}
