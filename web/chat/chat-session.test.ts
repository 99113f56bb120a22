import { beforeEach, expect, test } from 'vitest';
import type { ChatRequestBody, ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { newDocument } from '../conversation/chat-document.ts';
import type { ChatStorage } from '../storage/chat-storage.ts';
import { createMemoryStorage } from '../storage/memory-storage.ts';
import { type ChatSession, createChatSession } from './chat-session.ts';

const part = (content: string): ChatResponseBody => ({
  model: 'ember',
  created_at: '',
  message: { role: 'assistant', content },
  done: false,
});
const end: ChatResponseBody = { ...part(''), done: true, done_reason: 'stop', eval_count: 2 };

/** A model that answers with the given texts, and then waits if it is told so. */
function createModel() {
  const requests: ChatRequestBody[] = [];
  const model = {
    requests,
    texts: ['Hel', 'lo'] as readonly string[],
    failure: undefined as Error | undefined,
    waits: false,
    async *stream(body: ChatRequestBody, signal: AbortSignal): AsyncGenerator<ChatResponseBody> {
      requests.push(body);
      for (const text of model.texts) yield part(text);
      if (model.failure !== undefined) throw model.failure;
      if (model.waits)
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
      yield end;
    },
  };
  return model;
}

let model: ReturnType<typeof createModel>;
let storage: ChatStorage;
let session: ChatSession;
beforeEach(() => {
  model = createModel();
  storage = createMemoryStorage();
  let time = 0;
  session = createChatSession({
    document: newDocument({ id: 'c', model: 'ember', now: '' }),
    storage,
    streamChat: model.stream,
    nextFrame: (callback) => callback(),
    monotonic: () => time++,
    now: () => '2026-01-01T00:00:00Z',
    onSaved: () => {},
  });
});

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
  expect(model.requests[1]?.messages?.map(({ content }) => content)).toEqual(['One', 'Hello', 'Two']);
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
  model.texts = ['Other'];
  session.regenerate(first);
  await answered();
  expect(shown()).toEqual(['user: One', 'assistant: Other']);
  expect(model.requests[1]?.messages).toHaveLength(1);
  expect(session.alternatives.value.get(first.parent)).toHaveLength(2);
});

test('an answer that is stopped keeps its text, and can be continued', async () => {
  model.waits = true;
  ask('One');
  await expect.poll(() => session.running.value?.answer.value.content).toBe('Hello');
  session.stop();
  await answered();
  expect(last()).toMatchObject({ content: 'Hello', stats: { done_reason: 'stopped' } });
  model.waits = false;
  model.texts = [' world'];
  session.continueAnswer(last());
  await answered();
  expect(shown()).toEqual(['user: One', 'assistant: Hello world']);
  expect(model.requests[1]?.messages?.at(-1)).toMatchObject({ role: 'assistant', content: 'Hello' });
});

test('an answer that is stopped before its first text says so', async () => {
  model.waits = true;
  model.texts = [];
  ask('One');
  await expect.poll(() => model.requests).toHaveLength(1);
  session.stop();
  await answered();
  expect(last()).toMatchObject({ content: '', error: 'Stopped before the first text.' });
});

test('an error is part of the answer', async () => {
  model.failure = new Error('out of memory');
  ask('One');
  await answered();
  expect(last()).toMatchObject({ content: 'Hello', error: 'out of memory' });
});

test('an answer that arrives while another branch is shown does not replace it', async () => {
  ask('One');
  await answered();
  const first = last();
  model.waits = true;
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
  expect(model.requests[0]).toMatchObject({ think: true });
  session.configure({ think: undefined });
  ask('Two');
  await answered();
  expect(model.requests[1]).not.toHaveProperty('think');
  expect(model.requests[1]?.messages?.[0]).toEqual({ role: 'system', content: 'Be brief.' });
});

test('only one answer is generated at a time', async () => {
  model.waits = true;
  ask('One');
  ask('Two');
  await expect.poll(() => model.requests).toHaveLength(1);
  expect(shown()).toEqual(['user: One']);
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
