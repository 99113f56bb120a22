import { beforeEach, expect, test } from 'vitest';
import type { ChatRequestBody, ChatResponseBody } from '../../../src/server/dialects/ollama/generation/chat-schema.ts';
import type { AnswerApi } from '../../api/answer-api.ts';
import { ApiError } from '../../api/request.ts';
import { type AnswerRequest, type ChatDocument, newDocument } from '../../conversation/chat-document.ts';
import type { ChatStorage } from '../../storage/chat-storage.ts';
import { createMemoryStorage } from '../../storage/memory-storage.ts';
import { PageSettingsStore } from '../../storage/page-settings.ts';
import { ChatSession } from './chat-session.ts';

const part = (content: string): ChatResponseBody => ({
  model: 'ember',
  created_at: '',
  message: { role: 'assistant', content },
  done: false,
});
const end: ChatResponseBody = { ...part(''), done: true, done_reason: 'stop', eval_count: 2 };

/** A server that answers with the given texts, and then waits if it is told so. */
function createServer() {
  const requests: ChatRequestBody[] = [];
  const server = {
    requests,
    texts: ['Hel', 'lo'] as readonly string[],
    failure: undefined as Error | undefined,
    waits: false,
    resumed: [] as AnswerRequest[],
    cancelled: [] as string[],
    async *start(
      body: ChatRequestBody,
      { signal, onStarted }: Parameters<AnswerApi['start']>[1],
    ): AsyncGenerator<ChatResponseBody> {
      requests.push(body);
      onStarted(`request-${requests.length}`);
      yield* server.answer(0, signal);
    },
    async *resume(
      request: AnswerRequest,
      { signal }: Parameters<AnswerApi['resume']>[1],
    ): AsyncGenerator<ChatResponseBody> {
      server.resumed.push(request);
      yield* server.answer(request.received, signal);
    },
    async cancel(id: string): Promise<void> {
      server.cancelled.push(id);
    },
    async *answer(from: number, signal: AbortSignal): AsyncGenerator<ChatResponseBody> {
      for (const text of server.texts.slice(from)) yield part(text);
      if (server.failure !== undefined) throw server.failure;
      if (server.waits)
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
      yield end;
    },
  };
  return server;
}

let server: ReturnType<typeof createServer>;
let storage: ChatStorage;
let session: ChatSession;
/** What the model writes. */
let title = '';
beforeEach(() => {
  server = createServer();
  title = '';
  storage = { ...createMemoryStorage(), isDurable: true };
  session = openSession(newDocument({ id: 'c', model: 'ember', now: '' }));
});

function openSession(document: ChatDocument): ChatSession {
  let time = 0;
  return new ChatSession({
    document,
    isTemporary: false,
    storage,
    answers: server,
    nextFrame: (callback) => callback(),
    monotonicMs: () => time++,
    now: () => '2026-01-01T00:00:00Z',
    settings: new PageSettingsStore({ getItem: () => null, setItem: () => {} }),
    writeTitle: async () => title,
    onSaved: () => {},
    onCopied: async (copy) => {
      await storage.write(copy);
      return copy.id;
    },
  });
}

/** What another page reads. */
async function stored(): Promise<ChatDocument> {
  const document = await storage.read('c');
  if (document === undefined) throw new Error('nothing is stored');
  return document;
}

const ask = (text: string) => session.send({ text, images: [], files: [] });
const shown = () => session.path.value.map(({ role, content }) => `${role}: ${content}`);
const last = () => {
  const message = session.path.value.at(-1);
  if (message === undefined) throw new Error('no message');
  return message;
};
const answered = async () => expect.poll(() => session.running.value).toBeUndefined();

test('a question is answered, and both are stored', async () => {
  ask('Hi');
  await answered();
  expect(shown()).toEqual(['user: Hi', 'assistant: Hello']);
  expect(last()).toMatchObject({ model: 'ember', stats: { done_reason: 'stop', eval_count: 2 } });
  await expect.poll(async () => (await storage.read('c'))?.messages.length).toBe(2);
  expect((await storage.read('c'))?.title).toBe('Hi');
});

test('the next question has the whole branch', async () => {
  ask('One');
  await answered();
  ask('Two');
  await answered();
  expect(server.requests[1]?.messages?.map(({ content }) => content)).toEqual(['One', 'Hello', 'Two']);
});

test('the model writes a title after the first answer, and does not replace that of the user', async () => {
  title = 'A greeting';
  ask('Hi');
  await expect.poll(() => session.document.value.title).toBe('A greeting');
  session.configure({ title: 'Mine' });
  ask('Again');
  await answered();
  expect(session.document.value.title).toBe('Mine');
});

test('an answer that repeats its lines is stopped on the server, and says why', async () => {
  server.texts = Array.from({ length: 100 }, () => 'I repeat myself.\n');
  ask('Hi');
  await answered();
  expect(last()).toMatchObject({ content: 'I repeat myself.\n'.repeat(16), stats: { done_reason: 'repeated' } });
  expect(last()).not.toHaveProperty('request');
  expect(server.cancelled).toEqual(['request-1']);
});

test('an edited question begins a branch, and the first one can be chosen again', async () => {
  ask('One');
  await answered();
  const [question] = session.path.value;
  if (question === undefined) throw new Error('no question');
  session.edit(question, 'Another');
  await answered();
  expect(shown()).toEqual(['user: Another', 'assistant: Hello']);
  expect(session.alternatives.value.get(null)).toHaveLength(2);
  session.choose(question);
  expect(shown()).toEqual(['user: One', 'assistant: Hello']);
});

test('an answer can be generated again', async () => {
  ask('One');
  await answered();
  const first = last();
  server.texts = ['Other'];
  session.regenerate(first);
  await answered();
  expect(shown()).toEqual(['user: One', 'assistant: Other']);
  expect(server.requests[1]?.messages).toHaveLength(1);
  expect(session.alternatives.value.get(first.parent)).toHaveLength(2);
});

test('an answer that is stopped keeps its text, and can be continued', async () => {
  server.waits = true;
  ask('One');
  await expect.poll(() => session.running.value?.answer.value.content).toBe('Hello');
  session.stop();
  await answered();
  expect(last()).toMatchObject({ content: 'Hello', stats: { done_reason: 'stopped' } });
  server.waits = false;
  server.texts = [' world'];
  session.continueAnswer(last());
  await answered();
  expect(shown()).toEqual(['user: One', 'assistant: Hello world']);
  expect(server.requests[1]?.messages?.at(-1)).toMatchObject({ role: 'assistant', content: 'Hello' });
});

test('an answer that is stopped is canceled on the server, and Escape without an answer cancels nothing', async () => {
  server.waits = true;
  ask('One');
  await expect.poll(() => session.running.value?.answer.value.content).toBe('Hello');
  session.stop();
  await answered();
  session.stop();
  expect(server.cancelled).toEqual(['request-1']);
});

test('an answer that is stopped before its first text is not an error', async () => {
  server.waits = true;
  server.texts = [];
  ask('One');
  await expect.poll(() => server.requests).toHaveLength(1);
  session.stop();
  await answered();
  expect(last()).toMatchObject({ content: '', stats: { done_reason: 'stopped' } });
  expect(last()).not.toHaveProperty('error');
});

test('an error is part of the answer', async () => {
  server.failure = new Error('out of memory');
  ask('One');
  await answered();
  expect(last()).toMatchObject({ content: 'Hello', error: 'out of memory' });
});

test('an answer that arrives while another branch is shown does not replace it', async () => {
  ask('One');
  await answered();
  const first = last();
  server.waits = true;
  session.regenerate(first);
  await expect.poll(() => session.running.value?.answer.value.content).toBe('Hello');
  session.choose(first);
  session.stop();
  await answered();
  expect(last().id).toBe(first.id);
});

test('settings are sent, and a setting that is undefined is removed', async () => {
  session.configure({ system: 'Be brief.', think: true });
  ask('One');
  await answered();
  expect(server.requests[0]).toMatchObject({ think: true });
  session.configure({ think: undefined });
  ask('Two');
  await answered();
  expect(JSON.stringify(server.requests[1])).not.toContain('think');
  expect(server.requests[1]?.messages?.[0]).toEqual({ role: 'system', content: 'Be brief.' });
});

test('only one answer is generated at a time', async () => {
  server.waits = true;
  ask('One');
  ask('Two');
  await expect.poll(() => server.requests).toHaveLength(1);
  expect(shown()).toEqual(['user: One', 'assistant: ']);
  session.stop();
  await answered();
});

test('a conversation that cannot be stored says why', async () => {
  storage.write = async () => {
    throw new Error('the chats of this key are full');
  };
  ask('One');
  await answered();
  await expect.poll(() => session.saveProblem.value).toBe('the chats of this key are full');
});

test('an answer goes on in a page that is opened later', async () => {
  server.waits = true;
  ask('One');
  await expect.poll(async () => (await stored()).messages.at(-1)?.request?.id).toBe('request-1');
  expect(server.requests[0]).toMatchObject({ resumable: true });
  server.waits = false;
  session = openSession(await stored());
  session.resume();
  await answered();
  expect(shown()).toEqual(['user: One', 'assistant: Hello']);
  expect(server.resumed).toEqual([{ id: 'request-1', received: 0 }]);
  expect(last()).not.toHaveProperty('request');
  expect(last().stats).toMatchObject({ first_token: undefined });
});

test('an answer whose connection was lost is picked up where it was', async () => {
  server.failure = new TypeError('network error');
  server.texts = ['Hel'];
  ask('One');
  await answered();
  expect(last()).toMatchObject({ content: 'Hel', error: 'network error', request: { id: 'request-1', received: 1 } });
  expect((await stored()).messages.at(-1)).not.toHaveProperty('error');
  server.failure = undefined;
  server.texts = ['Hel', 'lo'];
  session.resume();
  await answered();
  expect(last()).toMatchObject({ content: 'Hello' });
  expect(last()).not.toHaveProperty('error');
});

test('an answer that the server does not have any more is an error, and can be generated again', async () => {
  server.waits = true;
  ask('One');
  await expect.poll(async () => (await stored()).messages.at(-1)?.request?.id).toBe('request-1');
  server.texts = [];
  server.failure = new ApiError('not found', { status: 404, code: 'request_not_found' });
  session = openSession(await stored());
  session.resume();
  await answered();
  expect(last().error).toBe('The server does not have the rest of this answer.');
  server.waits = false;
  server.failure = undefined;
  server.texts = ['New'];
  session.retry(last());
  await answered();
  expect(last()).toMatchObject({ content: 'New' });
  expect(server.requests).toHaveLength(2);
});

test('an answer that another page cancels is stopped', async () => {
  server.failure = new ApiError('request canceled', { status: 200, code: 'cancelled' });
  ask('One');
  await answered();
  expect(last()).toMatchObject({ content: 'Hello', stats: { done_reason: 'stopped' } });
  expect(last()).not.toHaveProperty('request');
});

test('a version that another page stored is taken over', async () => {
  ask('One');
  await answered();
  await expect.poll(async () => (await stored()).messages.at(-1)?.content).toBe('Hello');
  const other = openSession(await stored());
  other.send({ text: 'Two', images: [], files: [] });
  await expect.poll(async () => (await stored()).messages.at(3)?.content).toBe('Hello');
  session.update(await stored());
  expect(shown()).toEqual(['user: One', 'assistant: Hello', 'user: Two', 'assistant: Hello']);
});

test('a session that is closed stores nothing any more', async () => {
  server.waits = true;
  ask('One');
  await expect.poll(() => session.running.value?.answer.value.content).toBe('Hello');
  await session.close();
  await storage.remove('c');
  await answered();
  expect(await storage.read('c')).toBeUndefined();
});

test('an answer is edited in a branch of its own, and the model reads the new text', async () => {
  ask('Hi');
  await answered();
  session.editAnswer(last(), 'Good day');
  expect(shown()).toEqual(['user: Hi', 'assistant: Good day']);
  expect(last()).toMatchObject({ model: 'ember', edited: true });
  ask('And?');
  await answered();
  expect(server.requests.at(-1)?.messages?.map(({ content }) => content)).toEqual(['Hi', 'Good day', 'And?']);
  expect(session.alternatives.value.get(session.path.value[0]?.id ?? '')).toHaveLength(2);
});

test('a deleted message stays deleted when another page stores the conversation', async () => {
  ask('Hi');
  await answered();
  await expect.poll(async () => (await storage.read('c'))?.messages.length).toBe(2);
  const other = openSession(await stored());
  ask('And?');
  await answered();
  const [, , question] = session.path.value;
  if (question === undefined) throw new Error('no question');
  session.deleteMessage(question);
  expect(shown()).toEqual(['user: Hi', 'assistant: Hello']);
  await expect.poll(async () => (await stored()).deleted).toHaveLength(2);
  other.configure({ title: 'Other' });
  await expect.poll(async () => (await stored()).title).toBe('Other');
  expect((await stored()).messages).toHaveLength(2);
});

test('a copy has what was said up to a message, and not the request of an answer', async () => {
  ask('Hi');
  await answered();
  ask('And?');
  await answered();
  const [, first] = session.path.value;
  if (first === undefined) throw new Error('no answer');
  const id = await session.copyUpTo(first);
  const copy = await storage.read(id);
  expect(copy).toMatchObject({ title: 'Hi (copy)', model: 'ember', leaf: first.id, revision: 1 });
  expect(copy?.messages.map(({ content }) => content)).toEqual(['Hi', 'Hello']);
  expect(shown()).toHaveLength(4);
});
