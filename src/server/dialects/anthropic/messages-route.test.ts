import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createDeferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';
import { createLogger } from '../../../base/logger.ts';
import type { AnswerEvent } from '../../../inference/model/answer-event.ts';
import { dialectTable } from '../../compose/dialect-table.ts';
import { RequestTable } from '../../http/requests.ts';
import { createHttpServer } from '../../http/server.ts';
import type { Chat, ChatInput } from '../../services/generation/measure-answer.ts';
import { createToolChat } from '../../services/tools/tool-chat.ts';
import { messagesRoute } from './messages-route.ts';

const started: AnswerEvent = {
  type: 'started',
  promptTokens: 3,
  cachedTokens: 1,
  droppedTokens: 0,
  droppedMessages: 0,
};
const done: AnswerEvent = {
  type: 'done',
  reason: 'stop',
  promptTokens: 3,
  cachedTokens: 1,
  generatedTokens: 1,
  thinkingTokens: 0,
  promptNanoseconds: 1,
  generateNanoseconds: 1,
  totalNanoseconds: 1,
  loadNanoseconds: 1,
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

function createApp(chat: Chat) {
  const clock = createFakeClock();
  const logs: string[] = [];
  const logger = createLogger({ clock, level: 'info', write: (line) => void logs.push(line) });
  const app = createHttpServer({
    routes: [messagesRoute({ toolChat: createToolChat(chat, undefined), clock, logger, newId: () => '1' })],
    dialects: dialectTable,
    requests: new RequestTable({ clock, logger }),
    maxBodyBytes: 2 ** 20,
    isAllowedOrigin: () => true,
    clock,
    logger,
  });
  const post = (body: object) =>
    app.inject({
      method: 'POST',
      url: '/v1/messages',
      payload: JSON.stringify({ model: 'ember', messages: [{ role: 'user', content: 'Hi.' }], ...body }),
    });
  return { clock, logs, post };
}

test('pings are sent while the prompt is evaluated, after message_start', async () => {
  const begun = createDeferred<void>();
  const evaluated = createDeferred<void>();
  const { clock, post } = createApp(async function* () {
    yield started;
    begun.resolve();
    await evaluated.promise;
    yield { type: 'text', text: 'Hello.' };
    yield done;
  });
  const response = post({ stream: true });
  await begun.promise;
  for (let seconds = 0; seconds < 25; seconds++) {
    for (let turns = 0; turns < 20; turns++) await turn();
    clock.advance(1000);
  }
  evaluated.resolve();
  const names = (await response).payload.match(/^event: .*$/gm)?.map((line) => line.slice('event: '.length));
  expect(names).toEqual([
    ...['message_start', 'ping', 'ping', 'content_block_start', 'content_block_delta', 'content_block_stop'],
    ...['message_delta', 'message_stop'],
  ]);
});

test('an error before the prompt is accepted has a status, also for a stream', async () => {
  // biome-ignore lint/correctness/useYield: it fails before it yields.
  const { post } = createApp(async function* () {
    throw new HearthError('model_not_found', 'model "ember" not found');
  });
  for (const stream of [true, false]) {
    const response = await post({ stream });
    expect([response.statusCode, response.json().error.type]).toEqual([404, 'not_found_error']);
    expect(response.json().request_id).toBe(response.headers['request-id']);
  }
});

test('tools that a server of Anthropic would run are named, not offered', async () => {
  const inputs: ChatInput[] = [];
  const { logs, post } = createApp(async function* (input) {
    inputs.push(input);
    yield started;
    yield done;
  });
  const tools = [
    { type: `web_search_${'9'.repeat(1000)}`, name: 'web_search' },
    { name: 'look', input_schema: {} },
  ];
  const response = await post({ tools });
  expect(response.statusCode).toBe(200);
  expect(response.headers['x-hearth-ignored']).toBe(`tools.web_search_${'9'.repeat(47)}`);
  expect(inputs[0]?.tools.map(({ name }) => name)).toEqual(['look']);
  const [line = ''] = logs.filter((one) => one.includes('tools.web_search_9'));
  expect([line.includes('web_search_999'), line.length < 400]).toEqual([true, true]);
});
