// Two real vLLMs with cache events, and four servers in front of them: a turn of a conversation goes to any of the four. How many
// prompt tokens do the engines find in their caches, with the events and without?

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom } from '../../bench/routing/conversations.ts';
import { endlessLlama, writeFiles } from '../support/checkpoints/checkpoints.ts';
import { post } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { postChat } from '../support/openai.ts';
import { createRemoteFixture, type RemoteFixture } from './remote-fixture.ts';
import { startVllm, type VllmServer } from './start-vllm.ts';

const key = 'a-key-of-vllm';
const servedModel = 'tiny';
const frontCount = 4;
const systemPrompts = 4;
const conversations = 64;
// An engine on the same machine is preferred as long as it has few requests.
const atOnce = 24;
const turns = 6;
const systemWords = 150;
const questionWords = 30;

let engines: readonly VllmServer[] = [];
let fronts: readonly RemoteFixture[] = [];

beforeAll(async () => {
  const create = () => createRemoteFixture({ key, servedModel, timeout: '120s' });
  fronts = await Promise.all(Array.from({ length: frontCount }, create));
  const model = join(fronts[0]?.folder ?? '', 'model');
  writeFiles(model, endlessLlama());
  const ports = await Promise.all([0, 1].map(async () => [await freePort(), await freePort()] as const));
  const start = (processor: number) =>
    startVllm({ model, servedModel, contextLength: 2048, processor, key, events: ports[processor] });
  engines = await Promise.all([start(0), start(1)]);
  for (const front of fronts) {
    await front.addRemote('plain', urls(), { kind: 'vllm' });
    await addRemoteWithEvents(front, ports);
  }
});
afterAll(() => Promise.all([...fronts.map((front) => front.close()), ...engines.map((engine) => engine.stop())]));

const urls = (): string[] => engines.map(({ url }) => url);

/** Both engines are on this machine, so each address has ports of its own. */
async function addRemoteWithEvents(front: RemoteFixture, ports: readonly (readonly [number, number])[]): Promise<void> {
  for (const [index, url] of urls().entries()) {
    const body = { name: 'events', urls: [url], kind: 'vllm', events: ports[index]?.join(','), key };
    const { status, text } = await post(front.server.url, '/api/remotes', body);
    expect(status, text).toBe(200);
  }
  const { status, text } = await front.create('events', `remote://events/${servedModel}`);
  expect(status, text).toBe(200);
}

interface Message {
  readonly role: string;
  readonly content: string;
}

/** Asks all conversations, a few at a time. Returns the counts of all prompts. */
async function converse(model: string, seed: number) {
  const random = createRandom(seed);
  const words = (count: number): string =>
    Array.from({ length: count }, () => `w${Math.floor(random() * 900)}`).join(' ');
  const systems = Array.from({ length: systemPrompts }, () => words(systemWords));
  const scripts = Array.from({ length: conversations }, () => ({
    system: systems[Math.floor(systemPrompts * random() ** 2)] ?? '',
    questions: Array.from({ length: turns }, () => ({
      text: words(questionWords),
      front: Math.floor(random() * frontCount),
    })),
  }));
  let promptTokens = 0;
  let cachedTokens = 0;
  const hold = async (): Promise<void> => {
    for (let script = scripts.shift(); script !== undefined; script = scripts.shift()) {
      const messages: Message[] = [{ role: 'system', content: script.system }];
      for (const { text, front } of script.questions) {
        messages.push({ role: 'user', content: text });
        const url = fronts[front]?.server.url ?? '';
        const { status, body, text: answer } = await postChat(url, { model, messages, max_tokens: 8, temperature: 0 });
        expect(status, answer).toBe(200);
        promptTokens += body.usage?.prompt_tokens ?? 0;
        cachedTokens += body.usage?.prompt_tokens_details?.cached_tokens ?? 0;
        messages.push({ role: 'assistant', content: body.choices[0]?.message.content ?? '' });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, hold));
  return { promptTokens, cachedTokens };
}

test('most of the prompts is found in caches, whichever server gets a request', async () => {
  const shares: Record<string, number> = {};
  for (const [index, model] of ['plain', 'events'].entries()) {
    const { promptTokens, cachedTokens } = await converse(model, index + 1);
    shares[model] = cachedTokens / promptTokens;
    console.log(`${model}: ${promptTokens} prompt tokens, ${(100 * (shares[model] ?? 0)).toFixed(1)} % from caches`);
  }
  // Between two engines, chance and load decide which of the two shares is larger. Without any affinity, about half as much is found.
  expect(Math.min(...Object.values(shares))).toBeGreaterThan(0.6);
});
