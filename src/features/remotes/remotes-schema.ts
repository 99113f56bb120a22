// GET and POST /api/remotes, DELETE /api/remotes/:name and POST /api/remotes/:name/check on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

// Not checked here: the rules of remotes have errors in words. Other values are accepted, too.
const documentedName = { pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,40}$' };
const documentedFile = { pattern: '^[a-z]{1,40}$' };

export const remoteNameField = Type.String({ documented: documentedName });

const endpointFields = {
  kind: Type.Optional(
    Type.String({
      description: 'auto, vllm, sglang, llama-server, ollama or openai.',
      documented: { enum: ['auto', 'vllm', 'sglang', 'llama-server', 'ollama', 'openai'] },
    }),
  ),
  model: Type.Optional(
    Type.String({
      description: 'The only model there that is used, whatever it is called here.',
      documented: documentedName,
    }),
  ),
  events: Type.Optional(
    Type.String({
      description:
        'The port on which a vLLM publishes its cache events, and after a comma the one on which it repeats them.',
      documented: { pattern: '^[1-9][0-9]{0,3}(,[1-9][0-9]{0,3})?$' },
    }),
  ),
  key_file: Type.Optional(
    Type.String({
      description: 'The file that has the key, in the folder remote-keys next to the file of remotes.',
      documented: documentedFile,
    }),
  ),
  key_env: Type.Optional(
    Type.String({
      description: 'The variable of the server that has the key; its name begins with HEARTH_REMOTE_KEY_.',
      documented: { pattern: '^HEARTH_REMOTE_KEY_[A-Z0-9_]{1,40}$' },
    }),
  ),
  ca_file: Type.Optional(
    Type.String({
      description: 'A PEM file with authorities that are trusted for this endpoint, in the same folder.',
      documented: documentedFile,
    }),
  ),
};

export const AddRemoteRequestBody = Type.Object(
  {
    name: remoteNameField,
    urls: Type.Array(Type.String({ documented: { pattern: '^https?://[a-z0-9]{1,20}(:[1-9][0-9]{0,3})?$' } }), {
      description: 'The addresses of servers that have the same models.',
      documented: { minItems: 1, maxItems: 1000, uniqueItems: true },
    }),
    ...endpointFields,
    key: Type.Optional(
      Type.String({ description: 'The key itself. It is never shown.', documented: { pattern: '^[!-~]{1,100}$' } }),
    ),
    ca: Type.Optional(Type.String({ description: 'The authorities themselves, in the PEM format.' })),
  },
  {
    documented: {
      not: {
        anyOf: [
          { required: ['key_file', 'key_env'] },
          { required: ['key', 'key_file'] },
          { required: ['key', 'key_env'] },
          { required: ['ca'] },
        ],
      },
    },
  },
);
export type AddRemoteRequestBody = Wire<typeof AddRemoteRequestBody>;

const EndpointBody = Type.Object({ url: Type.String(), ...endpointFields });
export type EndpointBody = Wire<typeof EndpointBody>;

export const RemoteBody = Type.Object({ name: Type.String(), endpoints: Type.Array(EndpointBody) });
export type RemoteBody = Wire<typeof RemoteBody>;

export const RemotesResponseBody = Type.Object({ remotes: Type.Array(RemoteBody) });
export type RemotesResponseBody = Wire<typeof RemotesResponseBody>;

export const RemoveRemoteResponseBody = Type.Object({ status: Type.Literal('success') });
export type RemoveRemoteResponseBody = Wire<typeof RemoveRemoteResponseBody>;

export const CheckRemoteResponseBody = Type.Object({
  endpoints: Type.Array(
    Type.Object({
      url: Type.String(),
      error: Type.Optional(Type.String({ description: 'Absent if the endpoint answers.' })),
      milliseconds: Type.Integer({ description: 'Until it has answered.' }),
      kind: Type.Optional(Type.String()),
      version: Type.Optional(Type.String()),
      hearth: Type.Optional(Type.String({ description: 'The version of a Hearth, whose kind is ollama.' })),
      models: Type.Optional(
        Type.Array(Type.Object({ id: Type.String(), context_length: Type.Optional(Type.Integer()) })),
      ),
      features: Type.Optional(Type.Array(Type.String())),
    }),
  ),
});
export type CheckRemoteResponseBody = Wire<typeof CheckRemoteResponseBody>;
