// GET and POST /api/remotes, DELETE /api/remotes/:name and POST /api/remotes/:name/check on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../wire-schema.ts';

const endpointFields = {
  kind: Type.Optional(Type.String({ description: 'auto, vllm, sglang, llama-server, ollama or openai.' })),
  model: Type.Optional(Type.String({ description: 'The only model there that is used, whatever it is called here.' })),
  key_file: Type.Optional(Type.String({ description: 'A file on the machine of the server that has the key.' })),
  key_env: Type.Optional(Type.String({ description: 'Or the variable of the server that has the key.' })),
  ca_file: Type.Optional(
    Type.String({ description: 'A PEM file with authorities that are trusted for this endpoint.' }),
  ),
};

export const AddRemoteRequestBody = Type.Object({
  name: Type.String(),
  urls: Type.Array(Type.String(), { description: 'The addresses of servers that have the same models.' }),
  ...endpointFields,
});
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
      models: Type.Optional(
        Type.Array(Type.Object({ id: Type.String(), context_length: Type.Optional(Type.Integer()) })),
      ),
      features: Type.Optional(Type.Array(Type.String())),
    }),
  ),
});
export type CheckRemoteResponseBody = Wire<typeof CheckRemoteResponseBody>;
