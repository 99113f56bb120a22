// Measures embeddings of texts of mixed length against a bare loop with full batches.

import type { TestServer } from '../test/support/server.ts';
import { startBareLoop } from './bare-process.ts';
import { embedOverHttp, embedThroughLease } from './embed-load.ts';
import { median, report, rounds, settle } from './report.ts';
import type { Subject } from './subject.ts';

export async function measureEmbeddings(
  server: TestServer,
  { name: model, path, texts, goals }: Subject,
): Promise<void> {
  const bare = await startBareLoop(path, 'bare-embed');
  const ways = [
    { what: 'through a lease', load: await embedThroughLease(path), goal: undefined },
    { what: 'over HTTP', load: embedOverHttp(server.url, model), goal: goals.embed },
  ];
  for (const { what, load, goal } of ways) {
    const ratios: number[] = [];
    await bare.run(8, 0);
    await load.run(8, 0);
    for (let round = 0; round < rounds; round++) {
      await settle();
      const limit = await bare.run(texts, round);
      await settle();
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
