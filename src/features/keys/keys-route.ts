// GET and POST /api/keys, DELETE /api/keys/:name, POST /api/keys/:name/rotate

import type { FastifyRequest } from 'fastify';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import { requireKeyOrThisMachine } from '../../server/http/access/from-this-machine.ts';
import type { Route } from '../../server/http/route.ts';
import type { KeyEditor } from './access/edit-keys.ts';
import {
  CreateKeyRequestBody,
  fromCreateKeyBody,
  KeysResponseBody,
  keyNameField,
  NewKeyResponseBody,
  RevokeKeyResponseBody,
  toKeyEntry,
} from './keys-schema.ts';

const nameOf = ({ params }: FastifyRequest): string => (params as { readonly name: string }).name;

export function keysRoutes(editor: KeyEditor): Route[] {
  const common = { dialect: ollamaDialect, scope: 'admin', tag: 'Server' } as const;
  return [
    {
      ...common,
      method: 'GET',
      path: '/api/keys',
      summary: 'List the keys, without their secrets',
      response: KeysResponseBody,
      handle(request): KeysResponseBody {
        checkCaller(request);
        return { keys: editor.list().map(toKeyEntry) };
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/api/keys',
      summary: 'Create a key',
      body: CreateKeyRequestBody,
      response: NewKeyResponseBody,
      async handle(request): Promise<NewKeyResponseBody> {
        checkCaller(request);
        const { text, record } = await editor.create(fromCreateKeyBody(request.body as CreateKeyRequestBody));
        return { key: text, ...toKeyEntry(record) };
      },
    },
    {
      ...common,
      method: 'DELETE',
      path: '/api/keys/:name',
      params: { name: keyNameField },
      summary: 'Revoke a key',
      response: RevokeKeyResponseBody,
      async handle(request): Promise<RevokeKeyResponseBody> {
        checkCaller(request);
        await editor.revoke(nameOf(request));
        return { status: 'success' };
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/api/keys/:name/rotate',
      params: { name: keyNameField },
      summary: 'Replace the secret of a key',
      response: NewKeyResponseBody,
      async handle(request): Promise<NewKeyResponseBody> {
        checkCaller(request);
        const { text, record } = await editor.rotate(nameOf(request));
        return { key: text, ...toKeyEntry(record) };
      },
    },
  ];
}

/** Without keys, anyone could create the first one and keep all others out. */
function checkCaller(request: FastifyRequest): void {
  requireKeyOrThisMachine(request, 'the first key can be created only on the machine of the server');
}
