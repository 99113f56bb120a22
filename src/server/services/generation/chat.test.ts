import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerWith, done, type EngineScript, started, text } from '../../../../test/support/fake-engine.ts';
import { collect, createServiceFixture, onePixelPng as pixel } from '../../../../test/support/service-fixture.ts';
import { HearthError } from '../../../base/errors.ts';
import { type Reported, RequestReport } from '../../../base/request/request-report.ts';
import type { Tool } from '../../../formats/chat/message.ts';
import { jsonObjectGrammar } from '../../../formats/grammar/gbnf/json.ts';
import type { AnswerEvent } from '../../../inference/model/answer-event.ts';
import type { ConversationMessage } from '../../../inference/model/conversation.ts';
import { parseRequestedModel } from '../../../models/name.ts';
import { parseOptions } from '../../../models/options.ts';
import { type ChatInput, createChat } from './measure-answer.ts';

const fixture = createServiceFixture();
const never = new AbortController().signal;

const plain = '{{ range .Messages }}{{ .Role }}:{{ .Content }}\n{{ end }}';
const withTools =
  '{{ if .Tools }}{{ range .Tools }}{{ .Function.Name }} {{ end }}\n{{ end }}{{ range .Messages }}{{ .Role }}:{{ .Content }}' +
  '{{ if .ToolCalls }}<tool_call>{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}{{ end }}</tool_call>{{ end }}\n{{ end }}';
const withThinking =
  '{{ if .Think }}think\n{{ end }}{{ range .Messages }}{{ .Role }}:{{ if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}{{ .Content }}\n{{ end }}';
const hoisting =
  '{{ .System }}\n{{ range .Messages }}{{ if ne .Role "system" }}{{ .Role }}:{{ .Content }}\n{{ end }}{{ end }}';

const withChannels =
  '{{ if .Tools }}{{ end }}{{ range .Messages }}<|start|>{{ .Role }}{{ if .Thinking }}<|channel|>analysis<|message|>{{ .Thinking }}<|end|>' +
  '{{ end }}<|message|>{{ .Content }}<|end|>{{ end }}<|start|>assistant';

beforeAll(async () => {
  await fixture.putModel('plain', { template: plain });
  await fixture.putModel('tools', { template: withTools });
  await fixture.putModel('thinks', { template: withThinking });
  await fixture.putModel('hoists', { template: hoisting });
  await fixture.putModel('thinks-with-tools', { template: `${withThinking}{{ if .Tools }}{{ end }}<tool_call>` });
  await fixture.putModel('channels', { template: withChannels });
  await fixture.putModel('sees', { template: plain, vision: true });
  await fixture.putModel('embeds', {
    metadata: {
      'general.architecture': { type: 'string', value: 'bert' },
      'bert.pooling_type': { type: 'u32', value: 1 },
    },
  });
  await fixture.putModel('with-variables', {
    metadata: {
      'tokenizer.chat_template': {
        type: 'string',
        value:
          '{% for m in messages %}{{ m.role }}:{{ m.content }} {% endfor %}mood={{ mood }} {{ bos_token }}{% if preserve_thinking %}kept{% endif %}{% if enable_thinking is defined %}thinks={{ enable_thinking }}{% endif %}<think></think>',
      },
    },
  });
  await fixture.putModel('speaks', {
    template: plain,
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'first' }],
    parameters: { temperature: 0.25, top_k: 5 },
  });
});
afterAll(() => fixture.remove());

const message = (role: string, content: string, ...encodedImages: string[]): ConversationMessage => ({
  role,
  content,
  encodedImages,
});
const question = message('user', 'Why?');
const tool = (name: string): Tool => ({
  name,
  description: '',
  parameters: { type: 'object', properties: {} },
});

function inputOf(model: string, input: Partial<ChatInput> = {}): Reported<ChatInput> {
  return {
    model: parseRequestedModel(model),
    messages: [question],
    tools: [],
    format: undefined,
    options: parseOptions({}),
    report: new RequestReport(),
    ...input,
  };
}

function start(script: EngineScript, input: Reported<ChatInput>, signal = never) {
  const services = fixture.createServices(script);
  return { ...services, events: createChat(services)(input, signal) };
}

async function run(script: EngineScript, input: Reported<ChatInput>) {
  const { events, ...services } = start(script, input);
  const outputs = await collect(events);
  const [request] = services.engine.generated;
  const content = outputs.map((output) => (output.type === 'text' ? output.text : '')).join('');
  return { ...services, outputs, prompt: request?.prompt, request, content };
}

describe('an answer', () => {
  test('starts, has texts and ends with statistics; the lease is released', async () => {
    const { outputs, prompt, engine, answered } = await run(
      { answers: [answerWith('Be', 'cause.')] },
      inputOf('plain'),
    );
    expect(prompt).toBe('user:Why?\n');
    expect(outputs).toEqual([
      { ...started, prompt: 'user:Why?\n', droppedMessages: 0 },
      text('Be'),
      text('cause.'),
      expect.objectContaining({ type: 'done', reason: 'stop', promptTokens: 7, cachedTokens: 2, generatedTokens: 3 }),
    ]);
    expect(engine.openLeases()).toBe(0);
    expect(answered).toMatchObject([{ model: 'plain:latest', promptTokens: 7, cachedTokens: 2, generatedTokens: 3 }]);
  });

  test('log probabilities precede their text', async () => {
    const tokens = [{ bytes: [66], logprob: -0.5, top: [] }];
    const script = { answers: [[started, { type: 'text', text: 'B', logprobs: tokens } as const, done()]] };
    const { outputs, request } = await run(script, inputOf('plain', { topLogprobs: 2 }));
    expect(request?.topLogprobs).toBe(2);
    expect(outputs.slice(1, 3)).toEqual([
      { type: 'tokens', text: 'B', logprobs: tokens, generatedTokens: 1 },
      text('B'),
    ]);
  });

  test('options of the request override those of the model, which override the defaults', async () => {
    const input = inputOf('speaks', {
      options: parseOptions({ top_k: 9, num_ctx: 64, no_such_option: 1 }),
      optionDefaults: { temperature: 1, topP: 1 },
    });
    const { request, engine } = await run({ answers: [answerWith('x')] }, input);
    expect(request?.options).toMatchObject({ temperature: 0.25, topK: 9, topP: 1, minP: 0 });
    expect(engine.acquired[0]?.options.numCtx).toBe(64);
    expect(input.report.ignored).toEqual(['options.no_such_option']);
  });

  test('variables reach a Jinja template, and those that it does not have are reported', async () => {
    const templateVariables = { mood: 'good', enable_thinking: false, depth: 3 };
    const input = inputOf('with-variables', { templateVariables, think: false, thinkIfAble: true });
    const { request } = await run({ answers: [answerWith('x')] }, input);
    expect(request?.prompt).toBe('user:Why? mood=good thinks=False<think></think>');
    expect(input.report.ignored).toEqual(['chat_template_kwargs.depth']);
  });

  test('preserve_thinking keeps the thinking of earlier turns', async () => {
    const messages = [question, message('assistant', '<think>Hm.</think>Because.'), question];
    const promptWith = async (preserve_thinking: boolean) => {
      const input = inputOf('with-variables', { messages, templateVariables: { preserve_thinking } });
      return (await run({ answers: [answerWith('x')] }, input)).request?.prompt;
    };
    expect(await promptWith(false)).not.toContain('Hm.');
    expect(await promptWith(true)).toMatch(/Hm\..*kept/s);
  });

  test('variables have no effect on a Go template, except those of thinking', async () => {
    const input = (model: string) =>
      inputOf(model, { templateVariables: { enable_thinking: true, mood: 'good' }, think: true, thinkIfAble: true });
    const [able, unable] = [input('thinks'), input('plain')];
    expect((await run({ answers: [answerWith('x')] }, able)).request?.prompt).toContain('think\n');
    await run({ answers: [answerWith('x')] }, unable);
    expect(able.report.ignored).toEqual(['chat_template_kwargs.mood']);
    expect(unable.report.ignored).toEqual(['chat_template_kwargs.enable_thinking', 'chat_template_kwargs.mood']);
  });

  test('thinking that a model cannot do is reported if it is not an error', async () => {
    const input = inputOf('plain', { think: true, thinkIfAble: true });
    await run({ answers: [answerWith('x')] }, input);
    expect(input.report.ignored).toEqual(['thinking']);
  });

  test('a format becomes a grammar', async () => {
    const json = await run({ answers: [answerWith('{}')] }, inputOf('plain', { format: { type: 'json' } }));
    expect(json.request?.grammar).toBe(jsonObjectGrammar);
    const gbnf = { type: 'gbnf', grammar: 'root ::= "yes" | "no"' } as const;
    expect(
      (await run({ answers: [answerWith('yes')] }, inputOf('plain', { format: gbnf }))).request?.grammar,
    ).toContain('"yes"');
    const schema = { type: 'schema', schema: { const: 'blue' } } as const;
    expect(
      (await run({ answers: [answerWith('"blue"')] }, inputOf('plain', { format: schema }))).request?.grammar,
    ).toContain('blue');
  });
});

describe('messages', () => {
  test("the model's own come first", async () => {
    const { prompt } = await run({ answers: [answerWith('x')] }, inputOf('speaks'));
    expect(prompt).toBe('system:Be brief.\nuser:first\n\nWhy?\n');
  });

  test("a system message replaces the model's", async () => {
    const messages = [message('system', 'Be long.'), question];
    const { prompt } = await run({ answers: [answerWith('x')] }, inputOf('speaks', { messages }));
    expect(prompt).toBe('user:first\nsystem:Be long.\nuser:Why?\n');
  });

  test('images are tagged in order', async () => {
    const messages = [message('user', 'a', pixel), message('assistant', 'b'), message('user', 'c [img] d', pixel)];
    const { prompt, request } = await run({ answers: [answerWith('x')] }, inputOf('sees', { messages }));
    expect(prompt).toBe('user:[img-0]a\nassistant:b\nuser:c [img-1] d\n');
    expect(request?.images).toHaveLength(2);
  });
});

describe('a conversation that is longer than the context', () => {
  const messages = ['one', 'two', 'three', 'four'].flatMap((word) => [
    message('user', `${word} `.repeat(5)),
    message('assistant', word),
  ]);
  const long = [message('system', 'S'), ...messages, question];

  test('loses its oldest messages, but not the system message', async () => {
    const script = { answers: [answerWith('x')], contextLength: 9 };
    const { prompt, outputs, logs } = await run(script, inputOf('plain', { messages: long }));
    expect(outputs[0]).toMatchObject({ type: 'started', droppedMessages: 6 });
    expect(prompt).toMatch(/^system:S\nuser:four .*\nassistant:four\nuser:Why\?\n$/);
    expect(logs.join('')).toMatch(/dropped the oldest messages .* model=plain:latest dropped=6/);
  });

  test('is refused without truncation, and the lease is released', async () => {
    const { events, engine } = start({ contextLength: 9 }, inputOf('plain', { messages: long, truncate: false }));
    await expect(collect(events)).rejects.toMatchObject({ code: 'prompt_too_long', tokens: 26, maximum: 8 });
    expect([engine.generated, engine.openLeases()]).toEqual([[], 0]);
  });

  test('without truncation the engine does not truncate either', async () => {
    const script = { answers: [answerWith('x')], contextLength: 27 };
    const { prompt, request, outputs } = await run(script, inputOf('plain', { messages: long, truncate: false }));
    expect(prompt).toContain('user:one');
    expect(request?.truncate).toBe(false);
    expect(outputs[0]).toMatchObject({ droppedMessages: 0 });
  });
});

describe('a system message in the middle of the conversation', () => {
  const messages = [question, message('system', 'Be kind.'), message('assistant', 'Yes.'), question];

  test.each([
    ['is moved as the template does', {}, 'Be kind.\nuser:Why?\nassistant:Yes.\nuser:Why?\n'],
    ['stays in place', { systemInPlace: true }, '\nuser:Why?\n\nBe kind.\nassistant:Yes.\nuser:Why?\n'],
  ])('%s', async (_, option, prompt) => {
    const script = { answers: [answerWith('x')] };
    expect((await run(script, inputOf('hoists', { messages, ...option }))).prompt).toBe(prompt);
  });
});

describe('capabilities', () => {
  test.each<[string, Partial<ChatInput>, string]>([
    ['plain', { tools: [tool('f')] }, 'plain:latest does not support tools'],
    ['plain', { messages: [message('user', 'a', pixel)] }, '"plain" does not support images'],
    ['embeds', {}, '"embeds" does not support chat'],
  ])('%s %#: %s', async (model, input, error) => {
    const { events, engine } = start({}, inputOf(model, input));
    await expect(collect(events)).rejects.toMatchObject({ code: 'unsupported', message: error });
    expect(engine.acquired).toEqual([]);
  });
});

describe('tools', () => {
  const call = (name: string): string => `<tool_call>{"name": "${name}", "arguments": {"a": 1}}</tool_call>`;
  const tools = [tool('look'), tool('listen')];

  test('calls are found, with ids, and the text stays', async () => {
    const script = { answers: [answerWith('Hm.', ...call('look'), ' ', call('listen'))] };
    const { outputs, prompt, content } = await run(script, inputOf('tools', { tools }));
    expect(prompt).toBe('look listen \nuser:Why?\n');
    expect(content).toBe('Hm.');
    expect(outputs.flatMap((output) => (output.type === 'tool-calls' ? output.calls : []))).toEqual([
      { id: 'call_1', name: 'look', arguments: { a: 1 } },
      { id: 'call_2', name: 'listen', arguments: { a: 1 } },
    ]);
    expect(outputs.at(-1)?.type).toBe('done');
  });

  test('without parallel calls, nothing follows the first one', async () => {
    const script = { answers: [answerWith('Hm.', call('look'), ' Well. ', call('listen'), 'So.')] };
    const { outputs, content } = await run(script, inputOf('tools', { tools, parallelCalls: false }));
    const calls = outputs.flatMap((output) => (output.type === 'tool-calls' ? output.calls : []));
    expect([content, calls.map(({ name }) => name), outputs.at(-1)?.type]).toEqual(['Hm.', ['look'], 'done']);
  });

  test('a call that the limit of tokens cuts off is neither a call nor text', async () => {
    const cut = [started, text('Hm. '), text(call('look').slice(0, -20)), done('length')];
    const { outputs, content } = await run({ answers: [cut] }, inputOf('tools', { tools }));
    expect([content.trim(), outputs.at(-1)]).toEqual(['Hm.', expect.objectContaining({ reason: 'length' })]);
    expect(outputs.some(({ type }) => type === 'tool-calls')).toBe(false);
  });

  test('without tools a call is text', async () => {
    const { content } = await run({ answers: [answerWith(call('look'))] }, inputOf('tools'));
    expect(content).toBe(call('look'));
  });

  test('tool choice none hides them', async () => {
    const { prompt, request } = await run(
      { answers: [answerWith('x')] },
      inputOf('tools', { tools, toolChoice: 'none' }),
    );
    expect(prompt).toBe('user:Why?\n');
    expect(request?.grammar).toBeUndefined();
  });

  test('a tool that must be called is the only one, and has a grammar', async () => {
    const input = inputOf('tools', { tools, toolChoice: { name: 'listen' }, format: { type: 'json' } });
    const { prompt, request } = await run({ answers: [answerWith(call('listen'))] }, input);
    expect(prompt).toBe('listen \nuser:Why?\n');
    expect(request?.grammar).toContain('listen');
    expect(request?.grammar).not.toContain('look');
  });

  test('a call that the model may make is held from its tag on, outside thinking', async () => {
    const { request } = await run({ answers: [answerWith('x')] }, inputOf('tools', { tools }));
    expect(request?.grammar).toBeUndefined();
    expect(request?.lazyGrammar).toMatchObject({ triggers: [{ text: '<tool_call>', atStart: false }] });
    expect(request?.lazyGrammar?.grammar).toContain('isten'); // The common first letter is factored out.
    expect(request?.keepTokens).toContain('<tool_call>');
    const thinks = await run({ answers: [answerWith('x')] }, inputOf('thinks-with-tools', { tools }));
    expect(thinks.request?.thinking).toEqual({ open: '<think>', close: '</think>', begun: false });
  });

  test('with a format, or without tools, nothing is held', async () => {
    const formatted = await run({ answers: [answerWith('{}')] }, inputOf('tools', { tools, format: { type: 'json' } }));
    expect(formatted.request).toMatchObject({ grammar: jsonObjectGrammar });
    expect(formatted.request?.lazyGrammar).toBeUndefined();
    expect((await run({ answers: [answerWith('x')] }, inputOf('tools'))).request?.lazyGrammar).toBeUndefined();
  });

  test('one call only, if the request says so', async () => {
    const grammarWith = async (parallelCalls: boolean): Promise<string> => {
      const input = inputOf('tools', { tools, toolChoice: 'required', parallelCalls });
      return (await run({ answers: [answerWith(call('look'))] }, input)).request?.grammar ?? '';
    };
    expect((await grammarWith(false)).length).toBeLessThan((await grammarWith(true)).length);
  });

  test('a tool that must be called has to exist', async () => {
    const { events, engine } = start({}, inputOf('tools', { tools, toolChoice: { name: 'smell' } }));
    await expect(collect(events)).rejects.toThrow('tool_choice: there is no tool "smell"');
    expect(engine.acquired).toEqual([]);
  });
});

describe('channels', () => {
  const analysis = '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant';
  const partsOf = ({ outputs }: { readonly outputs: readonly AnswerEvent[] }) => ({
    thinking: outputs.flatMap((output) => (output.type === 'thinking' ? output.text : [])).join(''),
    calls: outputs.flatMap((output) => (output.type === 'tool-calls' ? output.calls : [])),
  });

  test('are thinking, content and calls', async () => {
    const script = { answers: [answerWith(...`${analysis}<|channel|>final<|message|>Yes.`)] };
    const answered = await run(script, inputOf('channels'));
    expect(answered.content).toBe('Yes.');
    expect(partsOf(answered)).toEqual({ thinking: 'Hm.', calls: [] });
    expect(answered.request?.keepTokens).toContain('<|channel|>');
    const called = `${analysis}<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"a":1}`;
    const tools = [tool('look')];
    const withCall = await run({ answers: [answerWith(called)] }, inputOf('channels', { tools }));
    expect(withCall.content).toBe('');
    expect(partsOf(withCall).calls).toEqual([{ id: 'call_1', name: 'look', arguments: { a: 1 } }]);
    expect(withCall.request?.thinking?.close).toBe('<|end|>');
  });

  test('a format applies to the last one', async () => {
    const script = { answers: [answerWith('<|channel|>final<|message|>{}')] };
    const { request, content } = await run(script, inputOf('channels', { format: { type: 'json' } }));
    expect(content).toBe('{}');
    expect(request?.grammar).toBeUndefined();
    expect(request?.lazyGrammar).toEqual({
      grammar: jsonObjectGrammar,
      triggers: [{ text: '<|channel|>final<|message|>', atStart: false }],
      afterTrigger: true,
    });
  });
});

describe('thinking', () => {
  test('is separated from the content', async () => {
    const script = { answers: [answerWith('<thi', 'nk>Hm', '.</think>', '\n\nYes.')] };
    const { outputs, prompt, content } = await run(script, inputOf('thinks'));
    expect(prompt).toBe('think\nuser:Why?\n');
    expect(outputs.filter(({ type }) => type === 'thinking')).toEqual([
      { type: 'thinking', text: 'Hm' },
      { type: 'thinking', text: '.' },
    ]);
    expect(content).toBe('Yes.');
  });

  test('can be disabled', async () => {
    const { prompt, content } = await run({ answers: [answerWith('Yes.')] }, inputOf('thinks', { think: false }));
    expect(prompt).toBe('user:Why?\n');
    expect(content).toBe('Yes.');
  });

  test('of earlier turns is removed', async () => {
    const messages = [question, message('assistant', '<think>old</think>Because.'), question];
    const { prompt } = await run({ answers: [answerWith('x')] }, inputOf('thinks', { messages }));
    expect(prompt).toBe('think\nuser:Why?\nassistant:Because.\nuser:Why?\n');
  });

  test('precedes a grammar, in one generation', async () => {
    const answers = [[started, text('<think>Hm.'), text('</think>'), text('{}'), done('stop', { thinkingTokens: 2 })]];
    const { request, outputs, content } = await run({ answers }, inputOf('thinks', { format: { type: 'json' } }));
    expect(request).toMatchObject({
      grammar: jsonObjectGrammar,
      thinking: { open: '<think>', close: '</think>', begun: false },
    });
    expect(content).toBe('{}');
    expect(outputs.at(-1)).toMatchObject({ type: 'done', generatedTokens: 3, thinkingTokens: 2 });
  });

  test('has a budget if the request has one', async () => {
    const script = { answers: [answerWith('<think>Hm.\n</think>\n\nYes.')] };
    const { request, content } = await run(script, inputOf('thinks', { thinkingBudget: 4 }));
    expect(request?.thinking?.budget).toBe(4);
    expect(content).toBe('Yes.');
  });

  test('that is disabled is not part of the request', async () => {
    const input = inputOf('thinks', { think: false, format: { type: 'json' } });
    const { request } = await run({ answers: [answerWith('{}')] }, input);
    expect(request).toMatchObject({ grammar: jsonObjectGrammar, thinking: undefined });
  });
});

describe('an answer that ends early', () => {
  test('an abort ends it with an error and releases the lease', async () => {
    const controller = new AbortController();
    const script = { answers: [answerWith('a', 'b', 'c')] };
    const { events, engine, answered } = start(script, inputOf('plain'), controller.signal);
    await events.next();
    expect((await events.next()).value).toEqual(text('a'));
    controller.abort();
    await expect(events.next()).rejects.toMatchObject({ code: 'cancelled' });
    expect(engine.openLeases()).toBe(0);
    expect(answered).toMatchObject([{ generatedTokens: 1 }]);
  });

  test('so does a caller that stops reading', async () => {
    const { events, engine } = start({ answers: [answerWith('a', 'b')] }, inputOf('plain'));
    await events.next();
    await events.return(undefined);
    expect(engine.openLeases()).toBe(0);
  });

  test('an error of the engine keeps its code', async () => {
    const error = new HearthError('runner_died', 'the runner has died');
    const { events, engine } = start({ answers: [[started, text('a'), error]] }, inputOf('plain'));
    await expect(collect(events)).rejects.toBe(error);
    expect(engine.openLeases()).toBe(0);
  });

  test('an error of the acquisition too, and the wait is observed', async () => {
    const acquireError = new HearthError('busy', 'too many requests');
    const { events, waited } = start({ acquireError }, inputOf('plain'));
    await expect(collect(events)).rejects.toBe(acquireError);
    expect(waited).toEqual(['plain:latest']);
  });
});

test.each<[string, Partial<ChatInput>, string]>([
  ['NoSuch:v1', {}, "model 'NoSuch:v1' not found"],
  ['plain', { topLogprobs: 21 }, 'top_logprobs must be between 0 and 20'],
  ['plain', { options: parseOptions({ stop: new Array(129).fill('x') }) }, 'stop has 129 entries'],
  ['sees', { messages: [message('user', 'a', '***')] }, 'illegal base64 data at input byte 0'],
])('%s %#: %s', async (model, input, error) => {
  const { events } = start({}, inputOf(model, input));
  await expect(collect(events)).rejects.toThrow(error);
});
