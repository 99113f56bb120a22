// A small run of the simulation in docs/scale.md (`npm run simulate:routing`).

import { expect, test } from 'vitest';
import { createConversations, createRandom } from '../../bench/routing/conversations.ts';
import { type SimulationResult, simulateRouting } from '../../bench/routing/simulate-routing.ts';
import { strategies } from '../../bench/routing/strategies.ts';

const engines = { endpoints: 8, cacheTokens: 100_000, promptSpeed: 5_000, answerSpeed: 50 };
const conversations = createConversations(400, 1.5, createRandom(7));

function simulate(name: string): SimulationResult {
  const strategy = strategies[name];
  if (strategy === undefined) throw new Error(`there is no "${name}"`);
  return simulateRouting(strategy, { ...engines, conversations, seed: 3 });
}

const affinity = simulate('prefix affinity');

test.each(['round robin', 'random', 'least loaded'])('prefix affinity finds more in caches than "%s"', (other) => {
  const compared = simulate(other);
  expect(affinity.hitRate).toBeGreaterThan(compared.hitRate + 0.2);
  expect(affinity.meanWait).toBeLessThan(compared.meanWait);
});

test('prefix affinity leaves no endpoint with far more than its share of the requests', () => {
  expect(affinity.imbalance).toBeLessThan(1.3);
});

test('with cache events, it hardly matters which of several servers gets a request', () => {
  const four = '4 servers in front, any of them';
  const withEvents = simulate(`cache events, ${four}`);
  expect(withEvents.hitRate).toBeGreaterThan(simulate(`prefix affinity, ${four}`).hitRate + 0.05);
  expect(withEvents.meanWait).toBeLessThan(simulate(`prefix affinity, ${four}`).meanWait);
});

test('the same seed gives the same result', () => {
  expect(simulate('prefix affinity')).toEqual(affinity);
});
