// Streams whose answers a schema constrains, next to free text. A model with random weights hardly ever chooses a token that
// the schema allows where it allows few, so that this is the worst case.

import type { TestServer } from '../test/support/server.ts';
import { textOf } from './measure-gpu-prefixes.ts';
import { median, report, rounds, settle } from './report.ts';
import { callSchema, largeSchema } from './schemas.ts';
import { type StreamTiming, throughput, timeStream } from './server-load.ts';

interface GrammarSubject {
  readonly server: TestServer;
  readonly model: string;
  readonly gpu: string;
  readonly contextLength: number;
}

const streamCounts = [1, 8, 32];
const tokens = 96;
const goal = 0.9;

export async function measureConstrained(subject: GrammarSubject): Promise<void> {
  for (const streams of streamCounts) {
    const free = await measureSpeed(subject, streams, undefined);
    for (const [name, format] of Object.entries({ 'a tool call': callSchema, 'a large schema': largeSchema })) {
      const speed = await measureSpeed(subject, streams, format);
      const isJudged = streams === 32;
      report({
        what: `${subject.gpu}, ${streams} ${streams === 1 ? 'stream' : 'streams'} with ${name}`,
        value: `${speed.toFixed(0)} tokens/s, ${(speed / free).toFixed(3)} of free text (${free.toFixed(0)})`,
        ...(isJudged ? { goal: `≥ ${goal}`, met: speed / free >= goal } : {}),
      });
    }
  }
}

async function measureSpeed(subject: GrammarSubject, streams: number, format: object | undefined): Promise<number> {
  const speeds: number[] = [];
  for (let round = 0; round < Math.min(rounds, 2); round++) {
    await settle();
    const timings = await Promise.all(Array.from({ length: streams }, (_, seed) => ask(subject, seed, format)));
    speeds.push(throughput(timings));
  }
  return median(speeds);
}

function ask(
  { server, model, contextLength }: GrammarSubject,
  seed: number,
  format: object | undefined,
): Promise<StreamTiming> {
  const options = { num_ctx: contextLength, temperature: 0.8, repeat_penalty: 1 };
  return timeStream({ url: server.url, model, prompt: textOf(16), tokens, seed, options, format });
}
