// Tools with every family of models: the parsers that configs name, with their renderers, and the templates in weights. Ember
// gets the prompt of the family, and a grammar holds its call in the syntax of the family. So it does with a model whose
// vocabulary has the tags of the family as tokens, and which begins each answer with the first of them.
//
// The others than a few take minutes; `npm run test:tools` prints a table of all.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.ts';
import { createJinjaRenderer } from '../../src/formats/chat/jinja/jinja-renderer.ts';
import type { Tool } from '../../src/formats/chat/message.ts';
import { findParser } from '../../src/formats/chat/parsers/find-parser.ts';
import {
  createJinjaPromptTemplate,
  createRenderedTemplate,
  withParser,
} from '../../src/formats/chat/prompt-template.ts';
import { findRenderer } from '../../src/formats/chat/renderers/find-renderer.ts';
import { callFamilies } from '../../src/formats/chat/tool-calls/call-families.ts';
import type { ToolCall } from '../../src/formats/chat/tool-calls/tool-call.ts';
import { endsInsideThinking } from '../../src/inference/local/render/thinking.ts';
import { parserOf } from '../../src/inference/local/split-answer.ts';
import { callTemplates } from '../support/call-templates.ts';
import { chat, post } from '../support/client.ts';
import { validatorOf } from '../support/grammar/validator.ts';
import { addModel } from '../support/models/endless-ember.ts';
import { writeMarkovModel } from '../support/models/markov-model.ts';
import { randomNumbers } from '../support/models/random-numbers.ts';
import { postChat } from '../support/openai.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

interface Row {
  readonly name: string;
  readonly renderer?: string;
  readonly parser?: string;
  /** The family whose template writes the same calls. */
  readonly family: string;
}

/** Renderer, parser, family of calls; as Ollama's library names them. A dash: none. The parser passthrough reads nothing. */
const pairs = `
cogito cogito deepseek-r1
cohere cohere command-r7b
deepseek3.1 deepseek3 deepseek-v3.1
functiongemma functiongemma functiongemma
gemma4 gemma4 gemma4
gemma4-large gemma4 gemma4
gemma4-small gemma4-no-thinking gemma4
glimmer glimmer glimmer
glm-4.7 glm-4.7 glm-4.5
glm-ocr glm-ocr glm-4.5
laguna laguna glm-4.5
lfm2 lfm2 lfm2
lfm2-thinking lfm2-thinking lfm2
nemotron-3-nano nemotron-3-nano qwen3-coder
nemotron-3.5-nano nemotron-3.5-nano qwen3-coder
olmo3 olmo3 olmo3
olmo3.1 olmo3 olmo3
olmo3-think olmo3-think -
olmo3-32b-think olmo3-think -
ornith ornith qwen3-coder
poolside-v1 poolside-v1 glm-4.5
qwen3-coder qwen3-coder qwen3-coder
qwen3-vl-instruct qwen3-vl-instruct hermes
qwen3-vl-thinking qwen3-vl-thinking hermes
qwen3.5 qwen3.5 qwen3-coder
qwen3.8 qwen3.5 qwen3-coder
- harmony gpt-oss
- ministral mistral-arguments
- qwen3 hermes
- qwen3-thinking hermes`
  .trim()
  .split('\n')
  .map((line): Row => {
    const [renderer = '', parser = '', family = ''] = line.split(' ');
    return { name: `${renderer} / ${parser}`, renderer: renderer === '-' ? undefined : renderer, parser, family };
  });
const fromTemplates = callFamilies.map(({ name }): Row => ({ name: `template of ${name}`, family: name }));

const isComplete = process.env['HEARTH_TEST_FAMILIES'] === '1';
const usual = [
  'qwen3.5 / qwen3.5',
  'gemma4 / gemma4',
  '- / harmony',
  'template of kimi-k2',
  'template of deepseek-v3.2',
];
const rows = [...pairs, ...fromTemplates].filter(({ name }) => isComplete || usual.includes(name));

const toolsWith = (city: object): readonly Tool[] => [
  {
    name: 'get_weather',
    description: 'Get the weather of a city',
    parameters: {
      type: 'object',
      properties: { city, days: { type: 'integer', minimum: 1, maximum: 14 }, exact: { type: 'boolean' } },
      required: ['city', 'days'],
    },
  },
  { name: 'get_time', description: 'Get the time', parameters: { type: 'object', properties: {} } },
];
const tools = toolsWith({ type: 'string' });
// Ember does not know the end of a text in most formats.
const asked = toolsWith({ type: 'string', enum: ['Paris', 'Oslo', 'Rome'] });
const offered = asked.map((tool) => ({ type: 'function', function: tool }));
const calls: readonly ToolCall[] = [
  { name: 'get_weather', arguments: { city: 'São Paulo, SP', days: 3, exact: true } },
  { name: 'get_weather', arguments: { city: 'Oslo', days: 5 } },
];
const question = { role: 'user', content: 'What is the weather in Paris for the next 3 days?' };

let server: TestServer;
const renderer = createJinjaRenderer(systemClock);
const table: string[] = [];
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
  renderer.stop();
  const head =
    'family | tools in the prompt | required | streamed | named | tags as tokens | fixture at every cut | thinking';
  if (isComplete) console.log([head, ...table].join('\n'));
});

/** The weights of Ember with another template. */
function withTemplate(template: string): Buffer {
  const weights = readFileSync(repository('models/ember-q4_k_m.gguf'));
  const key = 'tokenizer.chat_template';
  // The key is followed by the type of its value and the length of the text.
  const at = weights.indexOf(key) + key.length + 4;
  const length = Number(weights.readBigUInt64LE(at));
  const gap = length - Buffer.byteLength(template);
  if (gap < 4) throw new Error(`the template is ${4 - gap} bytes too long`);
  weights.write(`${template}{#${'-'.repeat(gap - 4)}#}`, at + 8);
  return weights;
}

// The templates of the families write calls only.
const withTurns = (family: string): string =>
  `{{ tools | tojson if tools }}${callTemplates[family]}{% if add_generation_prompt %}\nanswer: {% endif %}`;
const jinjaOf = (source: string) => createJinjaPromptTemplate({ source, bosToken: '', eosToken: '' }, renderer);

async function addFamily(row: Row): Promise<void> {
  if (row.parser === undefined) await addModel(server.store, 'family', withTemplate(withTurns(row.family)));
  else await addCodecs(row, 'family', 'ember');
}

async function addCodecs({ renderer: renders, parser }: Row, model: string, from: string): Promise<void> {
  const { text } = await post(server.url, '/api/create', { model, from, stream: false, renderer: renders, parser });
  expect(text).toContain('success');
}

const removeModel = (model: string) =>
  fetch(`${server.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model }) });

const tag = /<\/?[\w:]+>|<[|｜][^<>|｜]+(?:[|｜]>|>)|<\w+\|>|\[[A-Z_]+\]/g;
/** Models write texts in these tags, which are no control tokens. */
const plainTag = /^<\/?(?!start_function|end_function|escape|TOOLCALL)[\w:]+>$/;

/** A model with the tags of a text as tokens. Wherever one of them is possible, it follows; the first of all in other places. */
async function addTagged(row: Row, written: string): Promise<void> {
  // The end of thinking before a call. llama.cpp ends answers there if a vocabulary lacks the other two.
  const others = row.family === 'gpt-oss' ? ['<|end|>', '<|return|>', '<|call|>'] : [];
  const texts = [...new Set([...(written.match(tag) ?? []), ...others, '<end of answer>'])];
  const path = join(server.store, 'tagged.gguf');
  const next = randomNumbers(7);
  writeMarkovModel(
    path,
    (_, to) => (to < 256 ? next() : 30 - (to === 256 ? 0 : 10) - (to === 255 + texts.length ? 10 : 0)),
    {
      tags: texts.map((text) => ({ text, isControl: !plainTag.test(text) })),
      template: row.parser === undefined || row.renderer === undefined ? withTurns(row.family) : undefined,
      contextLength: 8192,
    },
  );
  await addModel(server.store, 'tagged', readFileSync(path));
  rmSync(path);
  if (row.parser !== undefined) await addCodecs(row, 'tagged', 'tagged');
}

/** What the family writes for `calls`. */
async function writtenCalls(family: string): Promise<string> {
  if (family === 'glimmer')
    return `<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n<atem:parameter name="city">São Paulo, SP</atem:parameter>\n<atem:parameter name="days">3</atem:parameter>\n<atem:parameter name="exact">true</atem:parameter>\n</atem:invoke>\n</atem:function_calls>`;
  const turn = { role: 'user', content: 'Q' };
  const messages = [turn, { role: 'assistant', content: '', toolCalls: expectedCalls(family) }, turn];
  const prompt = await jinjaOf(callTemplates[family] ?? '').renderConversation({ messages, tools });
  return prompt.slice('[Q]'.length, -'[Q]'.length);
}

/** Some families write a message for each call. */
const hasOneCall = (family: string): boolean =>
  family === 'glimmer' || callFamilies.find(({ name }) => name === family)?.layout.between === undefined;
const expectedCalls = (family: string) => (hasOneCall(family) ? calls.slice(0, 1) : calls);

function templateOf({ renderer: renders, parser, family }: Row) {
  const tags = family === 'gpt-oss' ? '' : '{# <think></think> #}';
  const found = renders === undefined ? undefined : findRenderer(renders);
  const template = found === undefined ? jinjaOf(withTurns(family) + tags) : createRenderedTemplate(found);
  const reads = parser === undefined ? undefined : findParser(parser);
  return reads === undefined ? template : withParser(template, reads);
}

type Template = ReturnType<typeof templateOf>;

interface ReadOptions {
  readonly think: boolean;
  readonly prompt: string;
  readonly tools: readonly Tool[];
}

function read(template: Template, pieces: readonly string[], options: ReadOptions) {
  const parser = parserOf(template, options);
  const parts = [...pieces.map((piece) => parser?.push(piece)), parser?.finish({ isCut: false })];
  return {
    thinking: parts
      .map((part) => part?.thinking)
      .join('')
      .trim(),
    content: parts.map((part) => part?.content).join(''),
    calls: parts.flatMap((part) => part?.calls ?? []),
  };
}

const plain: ReadOptions = { think: false, prompt: '', tools };

function checkFixture(template: Template, text: string, options: ReadOptions, expected: object): void {
  expect(read(template, [text], options)).toEqual(expected);
  expect(read(template, [...text], options)).toEqual(expected);
  for (let at = 1; at < text.length; at++)
    expect(read(template, [text.slice(0, at), text.slice(at)], options), text.slice(0, at)).toEqual(expected);
}

const request = {
  model: 'family',
  messages: [question],
  tools: offered,
  tool_choice: 'required',
  parallel_tool_calls: false,
  temperature: 0.5,
  seed: 9,
  max_tokens: 300,
  reasoning_effort: 'none',
  logprobs: true,
};

interface Answer {
  readonly calls: readonly ToolCall[];
  readonly content: string;
  /** What the model has written. */
  readonly raw: string;
}

interface Delta {
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly function: { name?: string; arguments?: string };
  }[];
}

async function ask(fields: object): Promise<Answer> {
  const { status, text } = await postChat(server.url, { ...request, ...fields });
  expect(status, text).toBe(200);
  const lines = text.split('\n').flatMap((line) => /^(?:data: )?({.*)/.exec(line)?.[1] ?? []);
  const choices = lines.flatMap((line) => JSON.parse(line).choices);
  const deltas: readonly Delta[] = choices.map((choice) => choice.message ?? choice.delta);
  const called: { name: string; text: string }[] = [];
  for (const { index, function: part } of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
    const at = index ?? called.length;
    const { name, text: before } = called[at] ?? { name: '', text: '' };
    called[at] = { name: name + (part.name ?? ''), text: before + (part.arguments ?? '') };
  }
  const tokens: readonly { readonly bytes: number[] }[] = choices.flatMap((choice) => choice.logprobs?.content ?? []);
  return {
    calls: called.map((call) => ({ name: call.name, arguments: JSON.parse(call.text) })),
    content: deltas.map(({ content }) => content ?? '').join(''),
    raw: Buffer.from(tokens.flatMap(({ bytes }) => bytes)).toString(),
  };
}

/** The call is valid, and what the family's parser reads in one piece. */
function checkCall(template: Template, { calls: made, content, raw }: Answer): void {
  expect({ calls: made.length, content }, raw).toEqual({ calls: 1, content: '' });
  const validate = validatorOf(asked.find((tool) => tool.name === made[0]?.name)?.parameters);
  expect(validate(made[0]?.arguments), `${raw} ${JSON.stringify(validate.errors)}`).toBe(true);
  expect(read(template, [raw], { ...plain, tools: asked }).calls).toEqual(made);
}

/** The kinds of `tool_choice` that were tried. */
async function checkTagged(row: Row, template: Template, written: string): Promise<string> {
  await addTagged(row, written);
  const tagged = { model: 'tagged', num_ctx: 8192 };
  checkCall(template, await ask(tagged));
  const triggers = template.callSyntax?.layout.triggers ?? [];
  if (!triggers.some(({ text }) => written.match(tag)?.[0] === text)) return 'required';
  checkCall(template, await ask({ ...tagged, tool_choice: 'auto' }));
  return 'required, auto';
}

describe.each(rows.map((row) => [row.name, row] as const))('%s', (name, row) => {
  const template = templateOf(row);

  test.runIf(template.supportsTools)('tools are rendered, calls are held and read', { timeout: 600_000 }, async () => {
    const cells = Array<string>(7).fill('no');
    try {
      await addFamily(row);
      const debug = await chat(server.url, {
        model: 'family',
        messages: [question],
        tools: offered,
        _debug_render_only: true,
      });
      for (const tool of tools) expect(debug._debug_info?.rendered_template).toContain(tool.name);
      cells[0] = 'yes';
      checkCall(template, await ask({}));
      cells[1] = 'yes';
      checkCall(template, await ask({ stream: true }));
      cells[2] = 'yes';
      const named = await ask({ tool_choice: { type: 'function', function: { name: 'get_time' } } });
      expect(named.calls, named.raw).toEqual([{ name: 'get_time', arguments: {} }]);
      cells[3] = 'yes';
      const written = await writtenCalls(row.family);
      cells[4] = await checkTagged(row, template, written);
      const expected = { thinking: '', content: '', calls: expectedCalls(row.family) };
      checkFixture(template, written, plain, expected);
      cells[5] = `${written.length}`;
      // Cogito thinks only without tools.
      const isSilent = template.parser?.supportsThinking === false || row.parser === 'cogito';
      const tags = isSilent ? undefined : template.thinkingTags;
      if (tags === undefined) cells[6] = '–';
      else {
        const prompt = await template.renderConversation({ messages: [question], tools, think: true });
        const open = endsInsideThinking(prompt, tags) ? '' : tags.open;
        checkFixture(
          template,
          `${open}\nHm.\n${tags.close}\n\n${written}`,
          { ...plain, think: true, prompt },
          {
            ...expected,
            thinking: 'Hm.',
          },
        );
        cells[6] = 'separated';
      }
    } finally {
      table.push([name, ...cells].join(' | '));
      await removeModel('family');
      await removeModel('tagged');
    }
  });

  test.runIf(!template.supportsTools)('tools are refused', async () => {
    await addFamily(row);
    const { status, text } = await postChat(server.url, request);
    expect(status).toBe(400);
    expect(text).toContain('does not support tools');
    table.push(`${name} | refused | | | | | |`);
  });
});
