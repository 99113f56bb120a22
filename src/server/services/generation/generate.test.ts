import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerWith, done, type EngineScript, started, text } from '../../../../test/support/fake-engine.ts';
import { collect, createServiceFixture, onePixelPng as pixel } from '../../../../test/support/service-fixture.ts';
import { HearthError } from '../../../base/errors.ts';
import { type Reported, RequestReport } from '../../../base/request/request-report.ts';
import { jsonObjectGrammar } from '../../../formats/grammar/gbnf/json.ts';
import { parseRequestedModel } from '../../../models/name.ts';
import { parseOptions } from '../../../models/options.ts';
import { createGenerate, type GenerateInput } from './generate.ts';

const fixture = createServiceFixture();
const never = new AbortController().signal;

const plain = '{{ range .Messages }}{{ .Role }}:{{ .Content }}\n{{ end }}';

beforeAll(async () => {
  await fixture.putModel('rendered', { template: '{{ .Prompt }}', renderer: 'of-tomorrow' });
  await fixture.putModel('plain', { template: plain });
  await fixture.putModel('fills', {
    template: '{{ if .Suffix }}<{{ .Prompt }}|{{ .Suffix }}>{{ else }}{{ .Prompt }}{{ end }}',
  });
  await fixture.putModel('sees', { template: plain, vision: true });
  await fixture.putModel('thinks', {
    template:
      '{{ range .Messages }}{{ if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}{{ .Content }}{{ end }}<think>',
  });
  await fixture.putModel('speaks', {
    template: plain,
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'yes' },
    ],
  });
  await fixture.putModel('embeds', {
    metadata: {
      'general.architecture': { type: 'string', value: 'bert' },
      'bert.pooling_type': { type: 'u32', value: 1 },
    },
  });
});
afterAll(() => fixture.remove());

function inputOf(model: string, input: Partial<GenerateInput> = {}): Reported<GenerateInput> {
  return {
    model: parseRequestedModel(model),
    prompt: 'Why?',
    suffix: '',
    system: '',
    template: '',
    context: [],
    raw: false,
    format: undefined,
    encodedImages: [],
    options: parseOptions({}),
    report: new RequestReport(),
    ...input,
  };
}

function start(script: EngineScript, input: Reported<GenerateInput>, signal = never) {
  const services = fixture.createServices(script);
  return { ...services, events: createGenerate(services)(input, signal) };
}

async function run(input: Reported<GenerateInput>, script: EngineScript = { answers: [answerWith('x')] }) {
  const { events, ...services } = start(script, input);
  const outputs = await collect(events);
  const [request] = services.engine.generated;
  return { ...services, outputs, request, prompt: request?.prompt };
}

describe('the prompt', () => {
  test.each<[string, Partial<GenerateInput>, string]>([
    ['plain', {}, 'user:Why?\n'],
    ['speaks', {}, 'system:Be brief.\nuser:first\nassistant:yes\nuser:Why?\n'],
    ['speaks', { system: 'Be long.' }, 'system:Be long.\nuser:first\nassistant:yes\nuser:Why?\n'],
    ['speaks', { context: [1, 2] }, 'system:Be brief.\nuser:Why?\n'],
    ['plain', { template: '[{{ .System }}] {{ .Prompt }}', system: 'S' }, '[S] Why?'],
    ['speaks', { raw: true }, 'Why?'],
    ['fills', { prompt: 'a', suffix: 'b' }, '<a|b>'],
    ['sees', { prompt: 'this [img]?', encodedImages: [pixel, pixel] }, 'user:[img-1]this [img-0]?\n'],
  ])('%s %#: %j', async (model, input, expected) => {
    expect((await run(inputOf(model, input))).prompt).toBe(expected);
  });

  test('a context goes to the engine, and a new one is returned', async () => {
    const end = { ...done(), context: [1, 2, 3] };
    const { request, outputs } = await run(inputOf('plain', { context: [1, 2] }), { answers: [[started, end]] });
    expect(request).toMatchObject({ context: [1, 2], wantContext: true });
    expect(outputs.at(-1)).toMatchObject({ type: 'done', context: [1, 2, 3] });
  });

  test('tokens replace it, also if there are none', async () => {
    const tokens = await run(inputOf('speaks', { prompt: '', promptTokens: [5, 6] }));
    expect(tokens.request).toMatchObject({ prompt: '', context: [5, 6], wantContext: false });
    for (const keepAlive of [0, 1000]) {
      const { outputs } = await run(inputOf('plain', { prompt: '', promptTokens: [], keepAlive }));
      expect(outputs.at(-1)?.type).toBe('done');
    }
  });
});

describe('the answer', () => {
  test('texts, statistics and a released lease', async () => {
    const { outputs, engine, logs } = await run(inputOf('plain'), { answers: [answerWith('a', 'b')] });
    expect(outputs).toEqual([
      { ...started, prompt: expect.any(String) },
      text('a'),
      text('b'),
      expect.objectContaining({ type: 'done', reason: 'stop', promptNanoseconds: 70, generateNanoseconds: 30 }),
    ]);
    expect(engine.openLeases()).toBe(0);
    expect(logs.join('')).toContain('answered model=plain:latest prompt=7 cached=2 generated=3 reason=stop');
  });

  test('a truncated prompt is reported and logged', async () => {
    const truncated = { type: 'started', promptTokens: 7, cachedTokens: 0, droppedTokens: 4 } as const;
    const { outputs, logs } = await run(inputOf('plain'), { answers: [[truncated, done()]] });
    expect(outputs[0]).toMatchObject(truncated);
    expect(logs.join('')).toMatch(/truncated a prompt .* model=plain:latest dropped=4/);
  });

  test('starts inside thinking if the prompt ends with the opening tag', async () => {
    const { outputs } = await run(inputOf('thinks'), { answers: [answerWith('Hm.</think>', '\nYes.')] });
    expect(outputs.slice(1, 3)).toEqual([{ type: 'thinking', text: 'Hm.' }, text('Yes.')]);
  });

  test('a raw prompt is answered without thinking', async () => {
    const { outputs } = await run(inputOf('thinks', { raw: true }), { answers: [answerWith('<think>a</think>')] });
    expect(outputs[1]).toEqual(text('<think>a</think>'));
  });

  test('the options of a generation reach the engine', async () => {
    const { request } = await run(
      inputOf('plain', {
        format: { type: 'json' },
        topLogprobs: 0,
        logitBias: [[7, -100]],
        shift: false,
        truncate: false,
        options: parseOptions({ seed: 42, stop: ['END'] }),
      }),
    );
    expect(request).toMatchObject({
      grammar: jsonObjectGrammar,
      topLogprobs: 0,
      logitBias: [[7, -100]],
      shift: false,
      truncate: false,
      options: { seed: 42, stop: ['END'] },
    });
  });
});

test('a model that needs an unknown renderer is refused, unless the prompt is raw', async () => {
  const { events, engine } = start({}, inputOf('rendered'));
  await expect(collect(events)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('needs the renderer "of-tomorrow"'),
  });
  expect(engine.acquired).toEqual([]);
  const raw = await run(inputOf('rendered', { raw: true }));
  expect(raw.request?.prompt).toBe('Why?');
});

describe('requests that are rejected before the model is loaded', () => {
  const bias = Array.from({ length: 1025 }, (_, token) => [token, 1] as const);
  test.each<[string, Partial<GenerateInput>, string, string]>([
    ['NoSuch', {}, 'model_not_found', "model 'NoSuch' not found"],
    ['embeds', {}, 'unsupported', '"embeds" does not support generate'],
    ['plain', { suffix: 'b' }, 'unsupported', 'plain:latest does not support insert'],
    ['plain', { encodedImages: [pixel] }, 'unsupported', '"plain" does not support images'],
    ['plain', { raw: true, system: 's' }, 'bad_request', 'raw mode does not support template, system, or context'],
    ['plain', { raw: true, context: [1] }, 'bad_request', 'raw mode does not support template, system, or context'],
    ['plain', { topLogprobs: -1 }, 'bad_request', 'top_logprobs must be between 0 and 20'],
    ['plain', { logitBias: bias }, 'bad_request', 'logit_bias has more than 1024 entries'],
    ['sees', { encodedImages: ['aGVsbG8='] }, 'bad_request', 'image 1: '],
    ['plain', { template: '{{ if }}' }, 'bad_template', ''],
  ])('%s %#: %s', async (model, input, code, message) => {
    const { events, engine } = start({}, inputOf(model, input));
    const error = await collect(events).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(engine.acquired).toEqual([]);
  });
});

test('an abort ends the answer and releases the lease', async () => {
  const controller = new AbortController();
  const { events, engine } = start({ answers: [answerWith('a', 'b')] }, inputOf('plain'), controller.signal);
  await events.next();
  controller.abort();
  await expect(collect(events)).rejects.toMatchObject({ code: 'cancelled' });
  expect(engine.openLeases()).toBe(0);
});

test('an answer ends where the quota of the key does, with the text of its last tokens', async () => {
  const tokens = (content: string, generatedTokens: number) =>
    ({ type: 'tokens', text: content, generatedTokens }) as const;
  const answer = [started, tokens('a', 1), tokens('b', 2), tokens('c', 3), done('stop')];
  const counted: number[] = [];
  const services = fixture.createServices({ answers: [answer] });
  const openMeter = () => ({
    count: (total: number) => counted.push(total) > 0 && total < 9,
    close: () => void counted.push(Number.NaN),
  });
  const outputs = await collect(createGenerate({ ...services, openMeter })(inputOf('plain'), never));
  expect(outputs.slice(1)).toMatchObject([
    text('a'),
    text('b'),
    { type: 'done', reason: 'length', promptTokens: 7, generatedTokens: 2 },
  ]);
  expect(counted).toEqual([7, 8, 9, 9, Number.NaN]);
  expect(services.engine.openLeases()).toBe(0);
});

test('a request whose key has no tokens left uses no model', async () => {
  const services = fixture.createServices({ answers: [answerWith('x')] });
  const openMeter = () => {
    throw new HearthError('rate_limited', 'no tokens are left');
  };
  const events = createGenerate({ ...services, openMeter })(inputOf('plain'), never);
  await expect(collect(events)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(services.engine.generated).toEqual([]);
});

test('an error of the engine keeps its code and message', async () => {
  const error = new HearthError('request_failed', 'decode failed');
  const { events, engine } = start({ answers: [[error]] }, inputOf('plain'));
  await expect(collect(events)).rejects.toBe(error);
  expect(engine.openLeases()).toBe(0);
});

test('a model in use keeps its blobs', async () => {
  await fixture.putModel('short-lived', {
    template: 'unique {{ .Prompt }}',
    metadata: { x: { type: 'u32', value: 9 } },
  });
  const { events, engine } = start({ answers: [answerWith('a')] }, inputOf('short-lived'));
  await events.next();
  const source = engine.acquired[0]?.source;
  const path = source?.kind === 'local' ? source.weightsPath : '';
  const { name } = parseRequestedModel('short-lived');
  await fixture.store.removeModel(name);
  expect(existsSync(path)).toBe(true);
  await collect(events);
  await fixture.store.collectGarbage({ graceMs: 0 });
  expect(existsSync(path)).toBe(false);
});
