// What an example of the documentation needs before it runs, and the values that replace those which it shows.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationTable } from '../../src/server/compose/operations/operation-table.ts';
import { writePdf } from '../support/documents/write-pdf.ts';
import { addEndlessModel, addModel } from '../support/models/endless-ember.ts';
import { randomBertWeights, writeBert } from '../support/models/tiny-bert.ts';
import { startRegistry, type TestRegistry } from '../support/registry/team-registry.ts';
import type { TestServer } from '../support/server.ts';
import { randomWhisper, toneWav } from '../support/speech/random-whisper.ts';

/** What to write instead of a text of the example. */
type Values = Readonly<Record<string, string>>;

export interface Preparations {
  /** `example` is a heading of the reference, such as `GET /api/tags`, or a page. */
  prepare(example: string, folder: string): Promise<Values>;
  /** Creates a key of the scope admin. */
  requireKeys(): Promise<string>;
  close(): Promise<void>;
}

const shown = {
  request: operationTable['DELETE /api/requests/:id']?.example.path?.['id'] ?? '',
  response: operationTable['GET /v1/responses/:id']?.example.path?.['id'] ?? '',
  key: String(operationTable['POST /api/session']?.example.body?.['key']),
  model: JSON.stringify(operationTable['POST /api/pull']?.example.body?.['model']),
  pull: operationTable['DELETE /api/pulls/:id']?.example.path?.['id'] ?? '',
  digest: operationTable['POST /api/blobs/:digest']?.example.path?.['digest'] ?? '',
  file: operationTable['GET /v1/files/:id']?.example.path?.['id'] ?? '',
  collection: operationTable['GET /api/collections/:id']?.example.path?.['id'] ?? '',
  collectionFile: operationTable['DELETE /api/collections/:id/files/:file']?.example.path?.['file'] ?? '',
  vectorStore: operationTable['GET /v1/vector_stores/:id']?.example.path?.['id'] ?? '',
  fileBatch: operationTable['GET /v1/vector_stores/:id/file_batches/:batch']?.example.path?.['batch'] ?? '',
  batch: operationTable['GET /v1/batches/:id']?.example.path?.['id'] ?? '',
  session: operationTable['DELETE /mcp']?.example.headers?.['mcp-session-id'] ?? '',
  imatrix: operationTable['GET /api/imatrix/:digest']?.example.path?.['digest'] ?? '',
  calibration: String(operationTable['POST /api/imatrix']?.example.body?.['text']),
  link: operationTable['GET /api/shared-chats/:link']?.example.path?.['link'] ?? '',
  chat: `/api/chats/${operationTable['PUT /api/chats/:id']?.example.path?.['id']}`,
};

export function createPreparations(server: TestServer): Preparations {
  let admin: string | undefined;
  let registry: TestRegistry | undefined;

  async function send(method: string, path: string, body?: object | string): Promise<Response> {
    const response = await fetch(server.url + path, {
      method,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(admin === undefined ? {} : { headers: { authorization: `Bearer ${admin}` } }),
    });
    return response;
  }
  async function read<Value>(response: Promise<Response>): Promise<Value> {
    const { status, ok } = await response;
    const text = await (await response).text();
    if (!ok) throw new Error(`${status}: ${text}`);
    return JSON.parse(text) as Value;
  }

  const copy = async (destination: string): Promise<Values> => {
    await send('POST', '/api/copy', { source: 'ember', destination });
    return {};
  };
  const openSession = async (): Promise<Values> => {
    const response = await send('POST', '/mcp', operationTable['POST /mcp']?.example.body);
    await response.text();
    return { [shown.session]: response.headers.get('mcp-session-id') ?? '' };
  };
  const storeResponse = async (): Promise<Values> => {
    const body = { model: 'ember', input: 'Hi.', background: true };
    return { [shown.response]: (await read<{ id: string }>(send('POST', '/v1/responses', body))).id };
  };
  const beginAnswer = async (): Promise<Values> => {
    await addEndlessModel(server.store, 'endless');
    const { headers } = await send('POST', '/api/generate', { model: 'endless', prompt: 'Hi' });
    return { [shown.request]: headers.get('x-request-id') ?? '' };
  };
  /** A registry that has the model. */
  const pushModel = async (): Promise<Values> => {
    if (registry === undefined) {
      const { public_key } = await read<{ public_key: string }>(send('GET', '/api/key'));
      registry = await startRegistry({ keys: [public_key] });
    }
    const model = `${registry.host}/team/llama`;
    await copy(model);
    await read(send('POST', '/api/push', { model, insecure: true, stream: false }));
    return { [shown.model]: `${JSON.stringify(model)}, "insecure": true` };
  };
  const startPull = async (): Promise<Values> => {
    // Nothing answers there.
    const body = { model: '127.0.0.1:9/team/llama', insecure: true };
    return { [shown.pull]: (await read<{ id: string }>(send('POST', '/api/pulls', body))).id };
  };
  const createKey = async (): Promise<Values> => {
    await removeKey();
    return { [shown.key]: (await read<{ key: string }>(send('POST', '/api/keys', { name: 'anna' }))).key };
  };
  const removeKey = async (): Promise<Values> => {
    await send('DELETE', '/api/keys/anna');
    return {};
  };
  const addRemote = async (): Promise<Values> => {
    await read(send('POST', '/api/remotes', operationTable['POST /api/remotes']?.example.body));
    return {};
  };
  const longText = async (): Promise<Values> => ({ [shown.calibration]: 'The sky is blue. '.repeat(200) });
  const computeImatrix = async (): Promise<Values> => {
    const { [shown.calibration]: text = '' } = await longText();
    const body = { model: 'ember', text, stream: false };
    return { [shown.imatrix]: (await read<{ digest: string }>(send('POST', '/api/imatrix', body))).digest };
  };
  const removeChat = async (): Promise<Values> => {
    await send('DELETE', shown.chat);
    return {};
  };
  const storeChat = async (): Promise<Values> => {
    await removeChat();
    await read(send('PUT', shown.chat, { title: 'Apples' }));
    return {};
  };
  const shareChat = async (): Promise<Values> => {
    await storeChat();
    const { shared_link } = await read<{ shared_link: string }>(send('POST', `${shown.chat}/share`));
    return { [shown.link]: shared_link };
  };
  const question = JSON.stringify({
    custom_id: 'first',
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'ember', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 4 },
  });
  const upload = async (): Promise<Values> => {
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([question]), 'questions.jsonl');
    const headers: Record<string, string> = admin === undefined ? {} : { authorization: `Bearer ${admin}` };
    const { id } = await read<{ id: string }>(fetch(`${server.url}/v1/files`, { method: 'POST', body: form, headers }));
    return { [shown.file]: id };
  };
  const createBatch = async (): Promise<Values> => {
    const { [shown.file]: input = '' } = await upload();
    const body = { input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '24h' };
    return { [shown.batch]: (await read<{ id: string }>(send('POST', '/v1/batches', body))).id };
  };
  const createCollection = async (
    name = 'ferries.txt',
    content: string | Uint8Array<ArrayBuffer> = 'Ferries leave at seven.',
  ): Promise<Values> => {
    const { id } = await read<{ id: string }>(send('POST', '/api/collections', { name: 'Ferries' }));
    const headers: Record<string, string> = admin === undefined ? {} : { authorization: `Bearer ${admin}` };
    const address = `${server.url}/api/collections/${id}/files?name=${name}`;
    const file = await read<{ id: string }>(fetch(address, { method: 'POST', body: content, headers }));
    return { [shown.collection]: id, [shown.collectionFile]: file.id };
  };
  /** With a batch of one file. */
  const createVectorStore = async (): Promise<Values> => {
    const { [shown.file]: uploaded = '' } = await upload();
    const { id } = await read<{ id: string }>(send('POST', '/v1/vector_stores', { name: 'Ferries' }));
    const body = { file_ids: [uploaded] };
    const batch = await read<{ id: string }>(send('POST', `/v1/vector_stores/${id}/file_batches`, body));
    return { [shown.vectorStore]: id, [shown.file]: uploaded, [shown.fileBatch]: batch.id };
  };
  const finishAnswer = async (): Promise<Values> => {
    const body = { model: 'ember', prompt: 'Hi', resumable: true };
    const response = await send('POST', '/api/generate', body);
    await response.text();
    return { [shown.request]: response.headers.get('x-request-id') ?? '' };
  };
  const addClassifier = async (folder: string): Promise<Values> => {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'classifier.gguf');
    writeBert(path, randomBertWeights(1), 'rank');
    await addModel(server.store, 'my-classifier', readFileSync(path));
    return {};
  };
  const writeInput = (folder: string, name: string, text: string | Buffer): Values => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), text);
    return {};
  };

  const writeSpeech = async (folder: string): Promise<Values> => {
    writeInput(folder, 'speech.wav', toneWav(1));
    return writeInput(folder, 'ggml-base.bin', randomWhisper());
  };
  const addSpeechModel = async (folder: string): Promise<Values> => {
    await writeSpeech(folder);
    await read(send('POST', '/api/create', { model: 'whisper', from: join(folder, 'ggml-base.bin'), stream: false }));
    return {};
  };

  const table: Readonly<Record<string, (folder: string) => Promise<Values>>> = {
    'docs/audio.md': writeSpeech,
    'POST /v1/audio/transcriptions': addSpeechModel,
    'POST /v1/audio/translations': addSpeechModel,
    'POST /api/imatrix': longText,
    'GET /api/imatrix/{digest}': computeImatrix,
    'DELETE /api/requests/{id}': beginAnswer,
    'POST /api/pull': pushModel,
    'POST /api/push': pushModel,
    'POST /api/pulls/{id}/pause': startPull,
    'DELETE /api/pulls/{id}': startPull,
    'POST /v1/classify': addClassifier,
    'POST /classify': addClassifier,
    'DELETE /api/delete': () => copy('my-ember'),
    'DELETE /v1/models/{id}': () => copy('my-ember'),
    'HEAD /api/blobs/{digest}': async () => {
      await send('POST', `/api/blobs/${shown.digest}`, 'GGUF');
      return {};
    },
    'POST /api/blobs/{digest}': async (folder) => writeInput(folder, 'weights.gguf', 'GGUF'),
    'GET /api/requests/{id}/stream': finishAnswer,
    'GET /api/chats/{id}': storeChat,
    'PUT /api/chats/{id}': removeChat,
    'POST /api/chats/{id}': storeChat,
    'DELETE /api/chats/{id}': storeChat,
    'POST /api/chats/{id}/share': storeChat,
    'PUT /api/chats/{id}/share': storeChat,
    'DELETE /api/chats/{id}/share': shareChat,
    'GET /api/shared-chats/{link}': shareChat,
    'DELETE /api/chat-links/{link}': shareChat,
    'POST /api/chats/import': async (folder) =>
      writeInput(folder, 'hearth-chats.json', '{"chats":[{"id":"b3d5f7a9-pears"}]}'),
    'POST /api/documents/text': async (folder) =>
      writeInput(folder, 'report.pdf', writePdf([['Ferries leave at seven.']])),
    'GET /api/collections/{id}': () => createCollection(),
    'DELETE /api/collections/{id}': () => createCollection(),
    'POST /api/collections/{id}/files': async (folder) => ({
      ...writeInput(folder, 'report.pdf', writePdf([['Ferries leave at seven.']])),
      ...(await createCollection()),
    }),
    'DELETE /api/collections/{id}/files/{file}': () => createCollection(),
    'POST /api/collections/{id}/search': () => createCollection(),
    'GET /api/collections/{id}/files/{file}/passages': () => createCollection(),
    'GET /api/collections/{id}/files/{file}/content': () =>
      createCollection('report.pdf', new Uint8Array(writePdf([['Ferries leave at seven.']]))),
    'GET /v1/vector_stores/{id}': createVectorStore,
    'POST /v1/vector_stores/{id}': createVectorStore,
    'DELETE /v1/vector_stores/{id}': createVectorStore,
    'POST /v1/vector_stores/{id}/search': createVectorStore,
    'POST /v1/vector_stores/{id}/files': createVectorStore,
    'GET /v1/vector_stores/{id}/files': createVectorStore,
    'GET /v1/vector_stores/{id}/files/{file}': createVectorStore,
    'POST /v1/vector_stores/{id}/files/{file}': createVectorStore,
    'DELETE /v1/vector_stores/{id}/files/{file}': createVectorStore,
    'GET /v1/vector_stores/{id}/files/{file}/content': createVectorStore,
    'POST /v1/vector_stores/{id}/file_batches': createVectorStore,
    'GET /v1/vector_stores/{id}/file_batches/{batch}': createVectorStore,
    'POST /v1/vector_stores/{id}/file_batches/{batch}/cancel': createVectorStore,
    'GET /v1/vector_stores/{id}/file_batches/{batch}/files': createVectorStore,
    'POST /v1/files': async (folder) => writeInput(folder, 'questions.jsonl', question),
    'GET /v1/files/{id}': upload,
    'GET /v1/files/{id}/content': upload,
    'DELETE /v1/files/{id}': upload,
    'POST /v1/batches': upload,
    'GET /v1/batches/{id}': createBatch,
    'POST /v1/batches/{id}/cancel': createBatch,
    'GET /v1/responses/{id}': storeResponse,
    'DELETE /v1/responses/{id}': storeResponse,
    'GET /v1/responses/{id}/input_items': storeResponse,
    'POST /v1/responses/{id}/cancel': storeResponse,
    'POST /api/keys': removeKey,
    'DELETE /api/keys/{name}': createKey,
    'POST /api/keys/{name}/rotate': createKey,
    'POST /api/session': createKey,
    'DELETE /mcp': openSession,
    'DELETE /api/remotes/{name}': addRemote,
    'POST /api/remotes/{name}/check': addRemote,
  };
  return {
    prepare: async (example, folder) => (await table[example]?.(folder)) ?? {},
    async requireKeys() {
      const { key } = await read<{ key: string }>(send('POST', '/api/keys', { name: 'ops', scope: 'admin' }));
      admin = key;
      return key;
    },
    close: async () => registry?.stop(),
  };
}
