// Tool calls cannot break: Ember at temperature 1 makes calls with several sets of tools and every kind of `tool_choice`, and
// each one names an offered tool and has arguments that satisfy its schema. `npm run test:tools -- 1000` makes more of them.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from '../support/client.ts';
import { validatorOf } from '../support/grammar/validator.ts';
import { postChat } from '../support/openai.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type ToolSet, toolSets } from '../support/tool-sets.ts';

const wanted = Number(process.env['HEARTH_TEST_CALLS'] ?? 24);
const atOnce = 4;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

type Choice = 'auto' | 'required' | 'named';
const choices: readonly Choice[] = ['auto', 'required', 'named'];

interface Plan {
  readonly set: ToolSet;
  readonly choice: Choice;
  readonly parallel: boolean;
  readonly seed: number;
}

function planOf(index: number): Plan {
  return {
    set: toolSets[index % toolSets.length] as ToolSet,
    choice: choices[Math.floor(index / toolSets.length) % choices.length] as Choice,
    parallel: index % 2 === 0,
    seed: index,
  };
}

/** The number of calls in the answer. Throws if one of them is not valid. */
async function callsOf({ set, choice, parallel, seed }: Plan, model = 'ember'): Promise<number> {
  const offered = choice === 'named' ? set.tools.slice(seed % 2, (seed % 2) + 1) : set.tools;
  const { status, text, body } = await postChat(server.url, {
    model,
    messages: [{ role: 'user', content: set.questions[seed % set.questions.length] }],
    tools: set.tools,
    tool_choice: choice === 'named' ? { type: 'function', function: { name: offered[0]?.function.name } } : choice,
    parallel_tool_calls: parallel,
    temperature: 1,
    seed,
    max_tokens: 1500,
  });
  expect(status, text).toBe(200);
  const [answer] = body.choices;
  const calls = answer?.message.tool_calls ?? [];
  const context = JSON.stringify({ set: set.name, choice, parallel, seed, answer });
  expect(answer?.message.content ?? '', context).not.toMatch(/tool_call|"arguments"|<\|/);
  if (choice !== 'auto') expect(calls.length, context).toBeGreaterThan(0);
  if (!parallel) expect(calls.length, context).toBeLessThan(2);
  for (const { function: called } of calls) {
    const tool = offered.find((one) => one.function.name === called.name);
    expect(tool, context).toBeDefined();
    const validate = validatorOf(tool?.function.parameters ?? { type: 'object', maxProperties: 0 });
    expect(validate(JSON.parse(called.arguments)), `${context} ${JSON.stringify(validate.errors)}`).toBe(true);
  }
  return calls.length;
}

test(`${wanted} calls at temperature 1, none of them unparsable or invalid`, { timeout: 600_000 }, async () => {
  const counts = { requests: 0, calls: 0, several: 0, byModel: 0 };
  const work = async (): Promise<void> => {
    while (counts.calls < wanted) {
      const plan = planOf(counts.requests++);
      const calls = await callsOf(plan);
      counts.calls += calls;
      if (calls > 1) counts.several++;
      if (plan.choice === 'auto') counts.byModel += calls;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  console.log(`tool calls: ${JSON.stringify(counts)}`);
  expect(counts.byModel).toBeGreaterThan(0);
});

test('calls of a model with a renderer and a parser', { timeout: 600_000 }, async () => {
  const codecs = { renderer: 'qwen3-vl-instruct', parser: 'qwen3-vl-instruct' };
  await post(server.url, '/api/create', { model: 'rendered', from: 'ember', stream: false, ...codecs });
  for (const [seed, set] of toolSets.entries())
    expect(await callsOf({ set, choice: 'required', parallel: seed % 2 === 0, seed }, 'rendered')).toBeGreaterThan(0);
});
