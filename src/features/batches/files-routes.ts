// POST and GET /v1/files, GET and DELETE /v1/files/:id, GET /v1/files/:id/content

import { createReadStream } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { HearthError } from '../../base/errors.ts';
import { openAiDialect } from '../../server/dialects/shared/openai-dialect.ts';
import { pageOf, pageQuery } from '../../server/dialects/shared/page-of.ts';
import { invalid } from '../../server/dialects/shared/read-fields.ts';
import { readForm } from '../../server/http/receiving/read-form.ts';
import type { Route } from '../../server/http/route.ts';
import { DeleteFileResponseBody, FileBody, FilesResponseBody } from './batches-schema.ts';
import type { Batches } from './run/batches.ts';
import type { FileDescription, FileStore, StoredFile } from './store/file-store.ts';

interface FilesParts {
  readonly files: FileStore;
  readonly batches: Batches;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export const batchesTag = 'Batches';
const path = '/v1/files';
const purposes = ['batch', 'user_data', 'assistants', 'fine-tune', 'vision', 'evals'];
/** The limit of OpenAI's API. */
const form = { maxFileBytes: 200 * 2 ** 20, needs: 'purpose' };
const maxNameLength = 255;
const expirySeconds = { least: 3600, most: 30 * 24 * 3600 };

/** Whose files a request sees: those of its key. Without keys, all callers share them. */
export function ownerOf({ scope }: FastifyRequest): string {
  return ownerOfKey(scope.key?.id);
}

export const ownerOfKey = (keyId: string | undefined): string => keyId ?? 'local';

export const idOf = ({ params }: FastifyRequest): string => (params as { readonly id: string }).id;

export function filesRoutes({ files, batches, now }: FilesParts): Route[] {
  const common = { dialect: openAiDialect, scope: 'infer', tag: batchesTag } as const;
  const one = { ...common, path: `${path}/:id` } as const;
  return [
    {
      ...common,
      method: 'POST',
      path,
      summary: 'Upload a file, as a form',
      readsBody: true,
      response: FileBody,
      async handle(request): Promise<FileBody> {
        await batches.open();
        const stored = await readForm(request, form, ({ filename, chunks, fields }) =>
          files.add(ownerOf(request), chunks, () => describe(filename, withPurpose(fields, request), now)),
        );
        return toFileBody(stored);
      },
    },
    {
      ...common,
      method: 'GET',
      path,
      summary: 'List the files of the caller, newest first',
      query: { ...pageQuery, purpose: Type.String({ description: 'Only files with this purpose.' }) },
      response: FilesResponseBody,
      async handle(request): Promise<FilesResponseBody> {
        await batches.open();
        const { purpose } = request.query as { readonly purpose?: string };
        const found = files.list(ownerOf(request)).filter((file) => purpose === undefined || file.purpose === purpose);
        return pageOf(found.toReversed(), request, toFileBody);
      },
    },
    {
      ...one,
      method: 'GET',
      summary: 'Show a file without its content',
      response: FileBody,
      async handle(request): Promise<FileBody> {
        await batches.open();
        return toFileBody(files.find(ownerOf(request), idOf(request)));
      },
    },
    {
      ...one,
      method: 'DELETE',
      summary: 'Delete a file',
      response: DeleteFileResponseBody,
      async handle(request): Promise<DeleteFileResponseBody> {
        await batches.open();
        const id = idOf(request);
        if (batches.isInput(ownerOf(request), id))
          throw new HearthError('bad_request', 'a batch that runs reads this file; cancel the batch first');
        await files.remove(ownerOf(request), id);
        return { id, object: 'file', deleted: true };
      },
    },
    {
      ...one,
      method: 'GET',
      path: `${path}/:id/content`,
      summary: 'Get the content of a file',
      async handle(request, reply) {
        await batches.open();
        const owner = ownerOf(request);
        const { id, bytes } = files.find(owner, idOf(request));
        return reply
          .type('application/octet-stream')
          .header('content-length', bytes)
          .send(createReadStream(files.pathOf(owner, id)));
      },
    },
  ];
}

/** Anthropic's clients name no purpose. */
function withPurpose(fields: ReadonlyMap<string, string>, { headers }: FastifyRequest): ReadonlyMap<string, string> {
  return headers['anthropic-version'] === undefined ? fields : new Map([['purpose', 'user_data'], ...fields]);
}

function describe(filename: string, fields: ReadonlyMap<string, string>, now: () => number): FileDescription {
  const purpose = fields.get('purpose') ?? '';
  if (!purposes.includes(purpose)) throw invalid('purpose', `expected one of ${purposes.join(', ')}`);
  const seconds = fields.get('expires_after[seconds]');
  const name = filename.slice(-maxNameLength);
  if (seconds === undefined) return { filename: name, purpose };
  const { least, most } = expirySeconds;
  if (!/^\d{1,7}$/.test(seconds) || Number(seconds) < least || Number(seconds) > most)
    throw invalid('expires_after[seconds]', `expected a number from ${least} to ${most}`);
  return { filename: name, purpose, expiresAt: Math.floor(now() / 1000) + Number(seconds) };
}

function toFileBody({ id, bytes, createdAt, expiresAt, filename, purpose }: StoredFile): FileBody {
  const times = { created_at: createdAt, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) };
  return { id, object: 'file', bytes, ...times, filename, purpose, status: 'processed' };
}
