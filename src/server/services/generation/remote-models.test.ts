import { afterAll, beforeAll, expect, test } from 'vitest';
import { done, type ScriptedAnswer, started, text } from '../../../../test/support/fake-engine.ts';
import { collect, createServiceFixture, onePixelPng } from '../../../../test/support/service-fixture.ts';
import { type Reported, RequestReport } from '../../../base/request/request-report.ts';
import { parseModelName, parseRequestedModel } from '../../../models/name.ts';
import { parseOptions } from '../../../models/options.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { encodeModelConfig } from '../../../models/store/manifests/model-config.ts';
import { remoteDetails, toRemoteLayer } from '../create/remote-model.ts';
import { createCountPrompt } from './count-prompt.ts';
import { createGenerate, type GenerateInput } from './generate.ts';
import { type ChatInput, createChat } from './measure-answer.ts';

const fixture = createServiceFixture();
const never = new AbortController().signal;
const remote = { host: 'gpu', model: 'llama', capabilities: ['completion'] };

beforeAll(async () => {
  const { store } = fixture;
  const putText = (mediaType: string, content: string) => store.putBlob(Buffer.from(content), mediaType);
  const { mediaType, text: layer } = toRemoteLayer(remote);
  const layers = [
    await putText(mediaType, layer),
    await putText(mediaTypes.system, 'Be brief.'),
    await putText(mediaTypes.params, '{"top_k":5}'),
  ];
  const config = encodeModelConfig(
    remoteDetails,
    layers.map(({ digest }) => digest),
    { remote },
  );
  await store.putManifest(parseModelName('far'), {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: await store.putBlob(config, mediaTypes.config),
    layers,
  });
});
afterAll(() => fixture.remove());

const model = parseRequestedModel('far');
const tools = [{ name: 'time', description: '' }];
const chatInput = (more: Partial<ChatInput> = {}): Reported<ChatInput> => ({
  model,
  messages: [{ role: 'user', content: 'Why?', encodedImages: [] }],
  tools: [],
  format: undefined,
  report: new RequestReport(),
  options: parseOptions({ temperature: 0.5 }),
  ...more,
});
const generateInput = (more: Partial<GenerateInput> = {}): Reported<GenerateInput> => ({
  model,
  prompt: 'Why?',
  suffix: '',
  system: '',
  template: '',
  context: [],
  raw: false,
  format: undefined,
  encodedImages: [],
  report: new RequestReport(),
  options: parseOptions({}),
  ...more,
});

async function chat(events: readonly ScriptedAnswer[], more: Partial<ChatInput> = {}) {
  const services = fixture.createServices({ conversations: [events] });
  const outputs = await collect(createChat(services)(chatInput(more), never));
  return { outputs, request: services.engine.conversed[0], services };
}

test('the messages of the model come first, and only options that someone has set are passed on', async () => {
  const { request, services } = await chat([started, text('Yes'), done()], { think: 'low', topLogprobs: 2 });
  expect(request).toEqual({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Why?' },
    ],
    tools: [],
    toolChoice: 'auto',
    parallelCalls: true,
    options: { topK: 5, temperature: 0.5 },
    think: 'low',
    topLogprobs: 2,
  });
  expect(services.engine.acquired[0]?.source).toMatchObject({ kind: 'remote', remote: 'gpu', model: 'llama' });
  expect(services.engine.openLeases()).toBe(0);
});

test('the answer says where it was made, and counts what the remote counted', async () => {
  const start = { ...started, promptTokens: 0, cachedTokens: 0 };
  const end = { ...done('stop', { promptTokens: 9, generatedTokens: 4 }), cachedTokens: 3 };
  const { outputs, services } = await chat([start, text('Yes'), end]);
  expect(outputs[0]).toMatchObject({ type: 'started', droppedMessages: 0, remote: { remote: 'gpu', model: 'llama' } });
  expect(outputs.at(-1)).toMatchObject({ type: 'done', promptTokens: 9, cachedTokens: 3, generatedTokens: 4 });
  expect(services.answered).toMatchObject([{ promptTokens: 9, cachedTokens: 3, generatedTokens: 4 }]);
});

test('thinking is separate, also if the remote sends it as content', async () => {
  const own = await chat([started, { type: 'thinking', text: 'Hm' }, text('Yes'), done()]);
  const tagged = await chat([started, text('<thi'), text('nk>Hm</think>Yes'), done()]);
  for (const { outputs } of [own, tagged])
    expect(outputs.filter(({ type }) => type === 'thinking' || type === 'text')).toEqual([
      { type: 'thinking', text: 'Hm' },
      { type: 'text', text: 'Yes' },
    ]);
});

test('calls get ids, and only one is passed on if the caller wants one', async () => {
  const calls = {
    type: 'tool-calls',
    calls: [
      { name: 'time', arguments: {} },
      { id: 'b', name: 'time', arguments: {} },
    ],
  } as const;
  const several = await chat([started, calls, done()], { tools });
  expect(several.outputs[1]).toMatchObject({ calls: [{ id: 'call_1' }, { id: 'b' }] });
  const single = await chat([started, calls, calls, done()], { tools, parallelCalls: false });
  expect(single.outputs.filter(({ type }) => type === 'tool-calls')).toMatchObject([{ calls: [{ id: 'call_1' }] }]);
});

test('generate asks the prompt as a message', async () => {
  const services = fixture.createServices({ conversations: [[started, text('Yes'), done()]] });
  const input = generateInput({ system: 'Be long.', encodedImages: [onePixelPng] });
  const outputs = await collect(createGenerate(services)(input, never));
  expect(outputs.map(({ type }) => type)).toEqual(['started', 'text', 'done']);
  expect(services.engine.conversed[0]?.messages).toMatchObject([
    { role: 'system', content: 'Be long.' },
    { role: 'user', content: 'Why?', images: [expect.any(Buffer)] },
  ]);
});

test('a raw prompt is passed on as it is', async () => {
  const services = fixture.createServices({ answers: [[started, text('Yes'), done()]] });
  await collect(createGenerate(services)(generateInput({ raw: true }), never));
  expect(services.engine.generated[0]?.prompt).toBe('Why?');
});

test.each([{ suffix: 'x' }, { context: [1] }])('%j is refused: the prompt is not made here', async (more) => {
  const services = fixture.createServices({ conversations: [[]] });
  const refused = collect(createGenerate(services)(generateInput(more), never));
  await expect(refused).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('remote') });
});

test('the tokens of a conversation are not counted', async () => {
  const count = createCountPrompt(fixture.createServices({}));
  await expect(count(chatInput(), never)).rejects.toMatchObject({ code: 'unsupported' });
});
