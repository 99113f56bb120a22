// GET and POST /api/remotes, DELETE /api/remotes/:name, POST /api/remotes/:name/check

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import { requireKeyOrThisMachine } from '../../server/http/access/from-this-machine.ts';
import type { Route } from '../../server/http/route.ts';
import type { CheckedEndpoint, GivenEndpoint, RemoteManager, RemoteRecord } from './manage-remotes.ts';
import type { RemoteFiles } from './remote-files.ts';
import {
  AddRemoteRequestBody,
  CheckRemoteResponseBody,
  type EndpointBody,
  RemoteBody,
  RemotesResponseBody,
  RemoveRemoteResponseBody,
  remoteNameField,
} from './remotes-schema.ts';

const nameOf = ({ params }: FastifyRequest): string => (params as { readonly name: string }).name;

export function remotesRoutes(manager: RemoteManager, files: Pick<RemoteFiles, 'nameOf'>): Route[] {
  const toRemoteBody = ({ name, endpoints }: RemoteRecord): RemoteBody => ({
    name,
    endpoints: endpoints.map((endpoint) => toEndpointBody(endpoint, files)),
  });
  const common = { dialect: ollamaDialect, scope: 'admin', tag: 'Server' } as const;
  return [
    {
      ...common,
      method: 'GET',
      path: '/api/remotes',
      summary: 'List the remotes, without their keys',
      response: RemotesResponseBody,
      handle(request): RemotesResponseBody {
        checkCaller(request);
        return { remotes: manager.list().map(toRemoteBody) };
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/api/remotes',
      summary: 'Add a remote, or endpoints to one',
      body: AddRemoteRequestBody,
      maxBodyBytes: 2 ** 20,
      response: RemoteBody,
      async handle(request): Promise<RemoteBody> {
        checkCaller(request);
        const { name, ...body } = request.body as AddRemoteRequestBody;
        return toRemoteBody(await manager.add(name, toEndpoints(body)));
      },
    },
    {
      ...common,
      method: 'DELETE',
      path: '/api/remotes/:name',
      params: { name: remoteNameField },
      summary: 'Remove a remote, or one endpoint of it',
      query: { url: Type.String({ description: 'Only the endpoint with this address.' }) },
      response: RemoveRemoteResponseBody,
      async handle(request): Promise<RemoveRemoteResponseBody> {
        checkCaller(request);
        const { url } = request.query as { readonly url?: string };
        await manager.remove(nameOf(request), url);
        return { status: 'success' };
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/api/remotes/:name/check',
      params: { name: remoteNameField },
      summary: 'Ask the endpoints of a remote what they can do',
      response: CheckRemoteResponseBody,
      async handle(request): Promise<CheckRemoteResponseBody> {
        checkCaller(request);
        const checked = await manager.check(nameOf(request), request.scope.signal);
        return { endpoints: checked.map(toCheckedBody) };
      },
    },
  ];
}

/** This server sends requests to the addresses of remotes. Only its administrators decide which ones. */
function checkCaller(request: FastifyRequest): void {
  requireKeyOrThisMachine(request, 'without keys, remotes can be managed only on the machine of the server');
}

function toEndpoints({ urls, kind, model, events, ...body }: Omit<AddRemoteRequestBody, 'name'>): GivenEndpoint[] {
  const { key, key_file: keyFile, key_env: keyEnv, ca, ca_file: caFile } = body;
  return urls.map((url) => ({ url, kind, servedModel: model, events, key, keyFile, keyEnv, ca, caFile }));
}

/** Says where the key is, and not what it is. */
function toEndpointBody(
  { url, kind, servedModel, keyRef, caFile, events }: RemoteRecord['endpoints'][number],
  files: Pick<RemoteFiles, 'nameOf'>,
): EndpointBody {
  const isFile = keyRef.startsWith('file:');
  return {
    url,
    kind,
    model: servedModel || undefined,
    events,
    key_file: isFile ? files.nameOf(keyRef.slice('file:'.length)) : undefined,
    key_env: keyRef === '' || isFile ? undefined : keyRef.slice('env:'.length),
    ca_file: caFile === '' ? undefined : files.nameOf(caFile),
  };
}

function toCheckedBody({ endpoint, facts, failure, milliseconds }: CheckedEndpoint) {
  return {
    url: endpoint.url,
    milliseconds,
    ...(failure === undefined ? {} : { error: failure }),
    ...(facts === undefined
      ? {}
      : {
          kind: facts.kind,
          version: facts.version || undefined,
          hearth: facts.hearth,
          models: facts.models.map(({ id, contextLength }) => ({
            id,
            context_length: contextLength,
          })),
          features: [...facts.features],
        }),
  };
}
