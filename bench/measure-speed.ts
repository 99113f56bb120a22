// Measures tokens per second of one stream and of eight parallel streams against the bare loop.

import type { TestServer } from '../test/support/server.ts';
import { prompt as shortPrompt } from './bare-loop.ts';
import { startBareLoop } from './bare-process.ts';
import { median, report, rounds, settle } from './report.ts';
import { throughput, timeStream, warmUp } from './server-load.ts';
import type { Subject } from './subject.ts';

const warmingTokens = 8;

export async function measureSpeed(server: TestServer, subject: Subject): Promise<void> {
  const { name: model, path, tokens, goals } = subject;
  const bare = await startBareLoop(path);
  await warmUp({ url: server.url, model, prompt: shortPrompt, tokens: warmingTokens, seed: 0 });
  const served = async (streams: number): Promise<number> => {
    const request = { url: server.url, model, prompt: shortPrompt, tokens };
    return throughput(
      await Promise.all(Array.from({ length: streams }, (_, seed) => timeStream({ ...request, seed }))),
    );
  };
  for (const streams of [1, 8] as const) {
    await bare.run(streams, 8);
    await served(1);
    const pairs: { readonly bare: number; readonly served: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      await settle();
      const limit = await bare.run(streams, tokens);
      await settle();
      pairs.push({ bare: limit, served: await served(streams) });
    }
    const ratio = median(pairs.map((pair) => pair.served / pair.bare));
    const speeds = `${median(pairs.map((pair) => pair.served)).toFixed(1)} and ${median(pairs.map((pair) => pair.bare)).toFixed(1)} tokens/s`;
    const goal = streams === 1 ? goals.one : goals.eight;
    report({
      what: `${model}, ${streams === 1 ? 'one stream' : 'eight parallel streams'}`,
      value: `${ratio.toFixed(3)} of the bare loop (${speeds})`,
      ...(goal === undefined ? {} : { goal: `≥ ${goal}`, met: ratio >= goal }),
    });
  }
  bare.stop();
}
