// One request for each route, for docs/reference/api.md. test/docs runs all of them.

const model = 'ember';
const sky = 'Why is the sky blue?';
const question = [{ role: 'user', content: sky }];
const weather = {
  name: 'get_weather',
  description: 'Get the weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const query = 'How do I bake bread?';
const documents = ['Knead the dough and let it rise.', 'The train leaves at nine.'];
// Ember is not trained to rank documents.
const rerank = { body: { model, query, documents, method: 'cosine' } };

const copy = 'my-ember';
const request = { id: '8f14e45fceea167a' };
const response = { id: 'resp_8f14e45fceea167a' };
const key = { name: 'anna' };
const remote = { name: 'gpu' };
const chat = { id: 'a2c4e6f8-apples' };
const weights = 'weights.gguf';
const blob = { digest: 'sha256:b83633aa785344791618f2fddf131b010ea04912a60430760b070bad293f65bd' };

/** By method and path; `id` is the `*` of a path. `file` is the name of a file whose bytes are the body. */
export const apiExamples = {
  'GET /': {},
  'GET /health': {},
  'GET /livez': {},
  'GET /readyz': {},
  'GET /openapi.json': {},
  'GET /docs': {},
  'GET /metrics': {},
  'GET /api/version': {},
  'POST /api/me': {},
  'GET /api/ps': {},
  'GET /api/devices': {},
  'GET /api/queue': {},
  'DELETE /api/requests/:id': { path: request },
  'GET /api/requests/:id/stream': { path: request, query: { from: '0' } },
  'GET /api/requests/log': {},
  'GET /api/usage': { query: { by: 'model', since: '7d' } },
  'GET /api/key': {},
  'GET /api/keys': {},
  'POST /api/keys': { body: { name: 'anna', models: ['ember*'], requests_per_minute: 60 } },
  'DELETE /api/keys/:name': { path: key },
  'POST /api/keys/:name/rotate': { path: key },
  'GET /api/remotes': {},
  'POST /api/remotes': { body: { name: 'gpu', urls: ['http://127.0.0.1:8000'], key_file: '/etc/hearth/gpu.key' } },
  'DELETE /api/remotes/:name': { path: remote },
  'POST /api/remotes/:name/check': { path: remote },
  'GET /api/session': {},
  'POST /api/session': { body: { key: 'hearth_anna_secret' } },
  'DELETE /api/session': {},

  'GET /api/tags': {},
  'POST /api/show': { body: { model } },
  'POST /api/create': {
    body: { model: 'pirate', from: model, system: 'Talk like a pirate.', parameters: { temperature: 0.5 } },
  },
  'POST /api/copy': { body: { source: model, destination: copy } },
  'DELETE /api/delete': { body: { model: copy } },
  'POST /api/pull': { body: { model: 'registry.example/team/llama' } },
  'POST /api/push': { body: { model: 'registry.example/team/llama' } },
  'POST /api/verify': { body: { stream: false } },
  'HEAD /api/blobs/:digest': { path: blob },
  'POST /api/blobs/:digest': { path: blob, file: weights },

  'GET /api/chats': { query: { q: 'apples' } },
  'GET /api/chats/:id': { path: chat },
  'PUT /api/chats/:id': {
    path: chat,
    body: {
      title: 'Apples',
      model,
      messages: [
        { id: 'm1', parent: null, role: 'user', content: 'Where do apples grow?' },
        { id: 'm2', parent: 'm1', role: 'assistant', content: 'On trees.' },
      ],
    },
  },
  'DELETE /api/chats/:id': { path: chat },
  'GET /api/chats/export': {},
  'POST /api/chats/import': { file: 'hearth-chats.json' },

  'POST /api/generate': { body: { model, prompt: sky } },
  'POST /api/chat': { body: { model, messages: question } },
  'POST /api/embed': { body: { model, input: ['The sky is blue.', 'The sea is blue.'] } },
  'POST /api/embeddings': { body: { model, prompt: 'The sky is blue.' } },
  'POST /api/tokenize': { body: { model, text: sky } },
  'POST /api/detokenize': { body: { model, tokens: [72, 105] } },

  'POST /v1/chat/completions': {
    body: {
      model,
      messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
      tools: [{ type: 'function', function: weather }],
    },
  },
  'POST /v1/completions': { body: { model, prompt: 'The sky is', max_tokens: 16, stream: true } },
  'POST /v1/embeddings': { body: { model, input: 'The sky is blue.' } },
  'GET /v1/models': {},
  'GET /v1/models/*': { path: { id: model } },
  'DELETE /v1/models/*': { path: { id: copy } },
  'POST /v1/responses': { body: { model, input: sky } },
  'POST /v1/responses/input_tokens': { body: { model, input: sky } },
  'GET /v1/responses/:id': { path: response },
  'DELETE /v1/responses/:id': { path: response },
  'GET /v1/responses/:id/input_items': { path: response, query: { limit: '10' } },
  'POST /v1/responses/:id/cancel': { path: response },

  'POST /v1/messages': { body: { model, max_tokens: 256, messages: question } },
  'POST /v1/messages/count_tokens': { body: { model, messages: question } },

  'POST /api/rerank': rerank,
  'POST /v1/rerank': rerank,
  'POST /v1/reranking': rerank,
  'POST /v2/rerank': rerank,
  'POST /rerank': rerank,
  'POST /reranking': rerank,
};
