// Embeddings of texts of mixed length, compared with a bare loop.

import type { TestServer } from '../test/support/server.ts';
import { startBareLoop } from './bare-process.ts';
import { embedOverHttp, embedThroughLease } from './embed-load.ts';
import { median, report, rounds, waitForIdleCores } from './report.ts';
import type { Subject } from './subject.ts';

export async function measureEmbeddings(
  server: TestServer,
  { name: model, path, texts, goals }: Subject,
): Promise<void> {
  const bare = await startBareLoop(path, 'bare-embed');
  const loads = [
    { what: 'through a lease', load: await embedThroughLease(path), goal: undefined },
    { what: 'over HTTP', load: embedOverHttp(server.url, model), goal: goals.embed },
  ];
  for (const { what, load, goal } of loads) {
    const ratios: number[] = [];
    await bare.run(8, 0);
    await load.run(8, 0);
    for (let round = 0; round < rounds; round++) {
      await waitForIdleCores();
      const limit = await bare.run(texts, round);
      await waitForIdleCores();
      ratios.push((await load.run(texts, round)) / limit);
    }
    await load.stop();
    report({
      what: `${model}, ${texts} embeddings of mixed length ${what}`,
      value: `${median(ratios).toFixed(3)} of a bare batched loop`,
      ...(goal === undefined ? {} : { goal: `≥ ${goal}`, met: median(ratios) >= goal }),
    });
  }
  bare.stop();
}
