// Vector stores and the tool file_search through the SDK of OpenAI, with a real server and real models.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writePdf } from '../support/documents/write-pdf.ts';
import { addModel } from '../support/models/endless-ember.ts';
import { randomBertWeights, writeBert } from '../support/models/tiny-bert.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-vector-stores-'));
const pollIntervalMs = 50;
let server: TestServer;
let openai: OpenAI;
beforeAll(async () => {
  server = await startServer({ store: folder });
  const path = join(folder, 'bert.gguf');
  writeBert(path, randomBertWeights(1), 'mean');
  await addModel(server.store, 'bert', readFileSync(path));
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const pdf = writePdf([['Ferries leave at seven.'], ['Tickets cost four crowns.']]);
const upload = async (name: string, bytes: Buffer): Promise<string> =>
  (await openai.files.create({ file: await toFile(bytes, name), purpose: 'assistants' })).id;

test('a vector store gets files, shows their state, and finds passages with filters', async () => {
  const store = await openai.vectorStores.create({ name: 'Harbor', metadata: { team: 'piers' } });
  expect(store).toMatchObject({ object: 'vector_store', status: 'completed', metadata: { team: 'piers' } });
  const ferries = await openai.vectorStores.files.createAndPoll(
    store.id,
    { file_id: await upload('ferries.pdf', pdf), attributes: { year: 2026, line: 'north' } },
    { pollIntervalMs },
  );
  expect(ferries).toMatchObject({ object: 'vector_store.file', status: 'completed', last_error: null });
  const piers = await openai.vectorStores.files.uploadAndPoll(
    store.id,
    await toFile(Buffer.from('There are two piers. Ferries use one.'), 'piers.md'),
    { pollIntervalMs },
  );
  expect(await openai.vectorStores.retrieve(store.id)).toMatchObject({
    file_counts: { completed: 2, in_progress: 0, failed: 0, cancelled: 0, total: 2 },
    usage_bytes: pdf.length + 37,
  });
  const search = async (body: Partial<OpenAI.VectorStoreSearchParams> = {}) => {
    const { data } = await openai.vectorStores.search(store.id, { query: 'When do ferries leave?', ...body });
    return data;
  };
  const [best] = await search();
  expect(best).toMatchObject({
    file_id: ferries.id,
    filename: 'ferries.pdf',
    score: 1,
    attributes: { year: 2026, line: 'north' },
    content: [{ type: 'text', text: 'Ferries leave at seven.' }],
  });
  const filesOf = async (filters: OpenAI.VectorStoreSearchParams['filters']) =>
    (await search({ filters })).map(({ file_id }) => file_id);
  expect(await filesOf({ type: 'gt', key: 'year', value: 2025 })).toEqual([ferries.id]);
  expect(await filesOf({ type: 'ne', key: 'line', value: 'north' })).toEqual([piers.id]);
  expect(await search({ ranking_options: { score_threshold: 0.999 } })).toHaveLength(1);
  await openai.vectorStores.files.update(piers.id, { vector_store_id: store.id, attributes: { line: 'south' } });
  expect(await filesOf({ type: 'in', key: 'line', value: ['south'] })).toEqual([piers.id]);
  const listed = await openai.vectorStores.files.list(store.id, { order: 'asc', limit: 1 });
  expect(listed.data.map(({ id }) => id)).toEqual([ferries.id]);
  expect((await listed.getNextPage()).data.map(({ id }) => id)).toEqual([piers.id]);
  const texts = await openai.vectorStores.files.content(ferries.id, { vector_store_id: store.id });
  expect(texts.data.map(({ text }) => text)).toEqual(['Ferries leave at seven.', 'Tickets cost four crowns.']);
  await openai.vectorStores.files.delete(piers.id, { vector_store_id: store.id });
  await expect(openai.vectorStores.files.retrieve(piers.id, { vector_store_id: store.id })).rejects.toMatchObject({
    status: 404,
  });
  expect(await openai.files.retrieve(piers.id)).toMatchObject({ filename: 'piers.md' });
  expect(await openai.vectorStores.delete(store.id)).toMatchObject({ deleted: true });
  await expect(openai.vectorStores.retrieve(store.id)).rejects.toMatchObject({ status: 404 });
});

test('a batch counts what is read and what is not, and vectors are part of it', async () => {
  const store = await openai.vectorStores.create({ name: 'Batch', ...({ model: 'bert' } as object) });
  const good = await upload('notes.txt', Buffer.from('The lighthouse has nine windows.'));
  const bad = await upload('bad.pdf', Buffer.from('%PDF-1.7 and nothing else'));
  const body = { file_ids: [good, bad], attributes: { kind: 'note' } };
  const batch = await openai.vectorStores.fileBatches.createAndPoll(store.id, body, { pollIntervalMs });
  expect(batch).toMatchObject({ status: 'completed', file_counts: { completed: 1, failed: 1, total: 2 } });
  const place = { vector_store_id: store.id };
  const failed = await openai.vectorStores.fileBatches.listFiles(batch.id, { ...place, filter: 'failed' });
  expect(failed.data).toMatchObject([
    { id: bad, last_error: { code: 'invalid_file', message: expect.stringContaining('no valid PDF') } },
  ]);
  // A collection of /api/collections is the same thing.
  const response = await fetch(`${server.url}/api/collections/${store.id}`);
  expect(await response.json()).toMatchObject({ collection: { model: 'bert', passages: 1, embedded: 1 } });
  const { data } = await openai.vectorStores.search(store.id, { query: 'nothing in common', max_num_results: 1 });
  expect(data).toMatchObject([{ file_id: good, attributes: { kind: 'note' } }]);
});

test('vector stores are listed in pages, changed, and refuse what is wrong', async () => {
  const names = ['first', 'second', 'third'];
  const ids: string[] = [];
  for (const name of names) ids.push((await openai.vectorStores.create({ name })).id);
  const all: string[] = [];
  for await (const { name } of openai.vectorStores.list({ limit: 2 })) all.push(name);
  expect(all.slice(0, 3)).toEqual(names.toReversed());
  const changed = await openai.vectorStores.update(ids[0] as string, {
    name: 'renamed',
    expires_after: { anchor: 'last_active_at', days: 1 },
  });
  expect(changed).toMatchObject({ name: 'renamed', expires_after: { days: 1 } });
  expect(changed.expires_at).toBe((changed.last_active_at ?? 0) + 24 * 3600);
  const missing = openai.vectorStores.files.create(ids[0] as string, { file_id: 'file-0123456789abcdef01234567' });
  await expect(missing).rejects.toMatchObject({ status: 404 });
  const wrong = openai.vectorStores.search(ids[0] as string, {
    query: 'x',
    filters: { type: 'like', key: 'a', value: 'b' } as never,
  });
  await expect(wrong).rejects.toMatchObject({ status: 400, message: expect.stringContaining('filters.type') });
});

async function createFerries(): Promise<string> {
  const file = await upload('ferries.pdf', pdf);
  const { id } = await openai.vectorStores.create({ name: 'Ferries', file_ids: [file] });
  await expect.poll(async () => (await openai.vectorStores.retrieve(id)).status).toBe('completed');
  return id;
}

test('a model searches with file_search: items, events and results', async () => {
  const request = {
    model: 'ember',
    input: 'When do ferries leave?',
    tools: [{ type: 'file_search', vector_store_ids: [await createFerries()], max_num_results: 2 }],
    tool_choice: 'required',
    include: ['file_search_call.results'],
    max_output_tokens: 60,
    temperature: 0,
  } satisfies OpenAI.Responses.ResponseCreateParamsNonStreaming;
  const events: string[] = [];
  const stream = openai.responses.stream(request);
  for await (const event of stream) events.push(event.type);
  const { output } = await stream.finalResponse();
  const call = output.find(({ type }) => type === 'file_search_call');
  expect(call).toMatchObject({ status: 'completed', queries: [expect.any(String)], results: expect.any(Array) });
  expect(events.filter((type) => type.includes('file_search_call')).slice(0, 3)).toEqual([
    'response.file_search_call.in_progress',
    'response.file_search_call.searching',
    'response.file_search_call.completed',
  ]);
  const { include: _, ...plain } = request;
  const bare = await openai.responses.create(plain);
  expect(bare.output.find(({ type }) => type === 'file_search_call')).toMatchObject({ results: null });
  const next = await openai.responses.create({
    model: 'ember',
    previous_response_id: bare.id,
    input: 'And back?',
    max_output_tokens: 1,
  });
  expect(next.status).toBe('incomplete');
});

test('a vector store that does not exist is an error of the request', async () => {
  const response = openai.responses.create({
    model: 'ember',
    input: 'When do ferries leave?',
    tools: [{ type: 'file_search', vector_store_ids: ['vs_missing'] }],
    tool_choice: { type: 'file_search' },
  });
  await expect(response).rejects.toMatchObject({ status: 404, message: expect.stringContaining('vs_missing') });
});

test('a chat with collections has passages with numbers, before the answer', async () => {
  const chat = async (fields: object): Promise<string> => {
    const body = {
      model: 'ember',
      messages: [{ role: 'user', content: 'When do ferries leave, and what do tickets cost?' }],
      ...fields,
    };
    const response = await fetch(`${server.url}/api/chat`, { method: 'POST', body: JSON.stringify(body) });
    return `${response.status} ${await response.text()}`;
  };
  const collections = [await createFerries()];
  const options = { num_predict: 4, temperature: 0 };
  const passage = { number: 1, text: 'Ferries leave at seven.', file_name: 'ferries.pdf', page: 1, start: 0, end: 23 };
  const streamed = (await chat({ collections, options })).slice(4).trim().split('\n');
  expect(JSON.parse(streamed[0] as string)).toMatchObject({ passages: [passage, { number: 2, page: 2 }] });
  const whole = JSON.parse((await chat({ collections, options, stream: false })).slice(4));
  expect(whole).toMatchObject({ passages: [passage, {}], done: true });
  const bare = JSON.parse((await chat({ options, stream: false })).slice(4));
  expect(whole.prompt_eval_count).toBeGreaterThan(bare.prompt_eval_count + 40);
  // A format holds the answer, so that a model of any size cites.
  const format = { type: 'object', properties: { a: { const: 'At seven [1].' } }, required: ['a'] };
  const cited = JSON.parse((await chat({ collections, format, stream: false })).slice(4));
  expect(JSON.parse(cited.message.content)).toEqual({ a: 'At seven [1].' });
  expect(await chat({ collections: ['coll_missing'] })).toMatch(/^404 .*coll_missing/);
  const [, , ...many] = new Array(19).fill('c');
  expect(await chat({ collections: many })).toMatch(/^400 /);
});
