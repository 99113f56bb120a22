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
  'GET /metrics': { description: 'Counters and histograms in the text format of Prometheus.', example: {} },
  'GET /api/key': {
    description: 'Shows the public key of this server, which a registry needs to accept its pushes.',
    example: {},
  },
  'GET /openapi.json': { description: 'This documentation for programs, as an OpenAPI 3.1 document.', example: {} },
  'GET /docs': { description: 'This page.', example: {} },
};
