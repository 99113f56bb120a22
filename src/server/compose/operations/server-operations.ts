// Descriptions and examples of the operations about the server itself.

import type { OperationTable } from '../../http/openapi/operation.ts';

const health = 'For load balancers and container platforms.';

export const serverOperations: OperationTable = {
  'GET /': {
    description: 'Answers "Ollama is running", which clients compare. Browsers get the web page.',
    example: {},
  },
  'GET /page/*': {
    description: 'Sends a file of the web page: scripts, styles, icons.',
    example: { path: { id: 'icon.svg' } },
  },
  'GET /health': { description: `Succeeds when the server is ready. ${health}`, example: {} },
  'GET /livez': { description: `Succeeds as soon as the server runs, also before it is ready. ${health}`, example: {} },
  'GET /readyz': { description: `Succeeds when the server is ready. ${health}`, example: {} },
  'GET /api/version': {
    description: 'Shows the version of the Ollama API that is served, and that of Hearth.',
    example: {},
  },
  'GET /api/session': {
    description: 'Shows whether requests need a key, and the name and scope of the key of this one.',
    example: {},
  },
  'POST /api/session': {
    description: 'Exchanges a key for a cookie that scripts cannot read, so that a web page need not keep the key.',
    example: { body: { key: 'hearth_anna_secret' } },
  },
  'DELETE /api/session': { description: 'Ends the session of the cookie of the request.', example: {} },
  'POST /api/me': {
    description: 'The command of Ollama asks for an account before it pushes. There are no accounts here.',
    example: {},
  },
  'GET /api/ps': {
    description: 'Lists the models in memory: sizes per device, context, state, and when each is unloaded.',
    example: {},
  },
  'GET /api/devices': {
    description: 'Lists the processors and GPUs of the machine, their memory, and the backends that serve them.',
    example: {},
  },
  'GET /api/queue': {
    description: 'Lists the requests that wait for a model or for a slot, in the order in which they will be served.',
    example: {},
  },
  'GET /api/activity': {
    description:
      'Lists the requests that run models now with their tokens so far, and the tokens of the last five minutes. The web page shows both.',
    example: {},
  },
  'DELETE /api/requests/:id': {
    description: 'Cancels a request. Its id is in the header x-request-id of its response, and in the queue.',
    example: { path: { id: '8f14e45fceea167a' } },
  },
  'GET /api/requests/:id/stream': {
    description:
      'Reads an answer again that was requested as resumable, and follows it, also after the connection was lost.',
    example: { path: { id: '8f14e45fceea167a' }, query: { from: '0' } },
  },
  'GET /api/requests/log': {
    description:
      'Shows the last requests with their prompts and answers. The operator switches it on with HEARTH_REQUEST_LOG.',
    example: {},
  },
  'GET /api/usage': {
    description: 'Sums up requests, tokens and times by key, model or day, from the usage log on disk.',
    example: { query: { by: 'model', since: '7d' } },
  },
  'GET /metrics': { description: 'Counters and histograms in the text format of Prometheus.', example: {} },
  'GET /api/key': {
    description: 'Shows the public key of this server, which a registry needs to accept its pushes.',
    example: {},
  },
  'GET /api/keys': { description: 'Lists the keys with their scopes, models and quotas.', example: {} },
  'POST /api/keys': {
    description: 'Creates a key and shows it, once. From the first key on, every request needs one.',
    example: { body: { name: 'anna', models: ['ember*'], requests_per_minute: 60 } },
  },
  'DELETE /api/keys/:name': {
    description: 'Revokes a key. Requests that are running are not ended.',
    example: { path: { name: 'anna' } },
  },
  'POST /api/keys/:name/rotate': {
    description: 'Gives a key a new secret and shows it, once. The old one is not valid any more.',
    example: { path: { name: 'anna' } },
  },
  'GET /api/remotes': {
    description: 'Lists other servers whose models this one serves, with their state.',
    example: {},
  },
  'POST /api/remotes': {
    description:
      'Adds a server whose models this one serves, or further addresses of one. The key is read from a file.',
    example: { body: { name: 'gpu', urls: ['http://127.0.0.1:8000'], key_file: '/etc/hearth/gpu.key' } },
  },
  'DELETE /api/remotes/:name': {
    description: 'Removes a server and its models from this one, or one address of it.',
    example: { path: { name: 'gpu' } },
  },
  'POST /api/remotes/:name/check': {
    description: 'Asks a server for its models and what they can do, now.',
    example: { path: { name: 'gpu' } },
  },
  'GET /openapi.json': { description: 'This documentation for programs, as an OpenAPI 3.1 document.', example: {} },
  'GET /docs': { description: 'This page.', example: {} },
};
