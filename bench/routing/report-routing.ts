// The table of the simulation for docs/scale.md. It has 10,000 conversations with 16 engines.

import { createConversations, createRandom } from './conversations.ts';
import { type SimulationResult, simulateRouting } from './simulate-routing.ts';
import { strategies } from './strategies.ts';

const seed = 1;
const conversations = 10_000;
const perSecond = 3;
const engine = { endpoints: 16, cacheTokens: 200_000, promptSpeed: 5_000, answerSpeed: 50 };

/** Markdown. */
export function routingTable(): string {
  const all = createConversations(conversations, perSecond, createRandom(seed));
  const rows = Object.entries(strategies).map(([name, strategy]) =>
    toRow(name, simulateRouting(strategy, { ...engine, conversations: all, seed })),
  );
  const requests = all.reduce((total, { turns }) => total + turns.length, 0);
  const number = (value: number): string => value.toLocaleString('en-US');
  return `${number(conversations)} conversations with ${number(requests)} requests, ${perSecond} new ones per second; ${engine.endpoints} engines, each with a
cache of ${number(engine.cacheTokens)} tokens, ${number(engine.promptSpeed)} prompt tokens per second, and ${engine.answerSpeed} tokens per second for each answer.

| choice | prompt tokens from the cache | requests, max/mean | evaluated tokens, max/mean | first token, mean | 95 % |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

function toRow(name: string, result: SimulationResult): string {
  const { hitRate, imbalance, workImbalance, meanWait, longWait } = result;
  const cells = [`${(100 * hitRate).toFixed(1)} %`, imbalance.toFixed(2), workImbalance.toFixed(2)];
  const seconds = [meanWait, longWait].map((value) => `${value.toFixed(2)} s`);
  return `| ${[name, ...cells, ...seconds].join(' | ')} |`;
}
