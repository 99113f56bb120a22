import { expect, test } from 'vitest';
import { type Candidate, chooseEndpoint } from './choose-endpoint.ts';
import { maxLocalLoad, quietLoad } from './limits.ts';

const candidate = (id: string, load = 0, isFull = false): Candidate => ({ id, load, isFull, isLocal: false });
const local = (load: number, isFull = false): Candidate => ({ id: 'local', load, isFull, isLocal: true });
const nobody = () => [];
const ids = ['a', 'b', 'c', 'd'];

function place(candidates: readonly Candidate[], block: string): string | undefined {
  return chooseEndpoint({ candidates, blocks: [block], holdersOf: nobody });
}

test('without candidates there is no choice', () => {
  expect(place([], '1')).toBeUndefined();
});

test('the endpoint that has evaluated the longest part of the prompt is chosen', () => {
  const holders: Record<string, string[]> = { '1': ['a', 'b', 'c'], '2': ['b', 'c'], '3': ['c'] };
  const candidates = ids.map((id) => candidate(id));
  const choose = (blocks: string[]) =>
    chooseEndpoint({ candidates, blocks, holdersOf: (block) => holders[block] ?? [] });
  expect(choose(['1', '2', '3', '4'])).toBe('c');
  expect(choose(['1', '2', '5'])).toBe('b');
});

test('of several that have evaluated it, the least loaded one is chosen', () => {
  const candidates = [candidate('a', 2), candidate('b', 1), candidate('c', 2)];
  expect(chooseEndpoint({ candidates, blocks: ['1'], holdersOf: () => ['a', 'b'] })).toBe('b');
});

test('an endpoint with more than its share of the load is passed over', () => {
  const candidates = [candidate('a', 5), candidate('b', 0), candidate('c', 0), candidate('d', 0)];
  expect(chooseEndpoint({ candidates, blocks: ['1'], holdersOf: () => ['a'] })).not.toBe('a');
});

test('a full endpoint is passed over, unless all are', () => {
  const holdersOf = () => ['a'];
  const choose = (candidates: Candidate[]) => chooseEndpoint({ candidates, blocks: ['1'], holdersOf });
  expect(choose([candidate('a', 0, true), candidate('b')])).toBe('b');
  expect(choose([candidate('a', 0, true), candidate('b', 0, true)])).toBe('a');
});

test('prompts that are not known are spread evenly, and always in the same way', () => {
  const candidates = ids.map((id) => candidate(id));
  const placed = Array.from({ length: 4000 }, (_, index) => place(candidates, `block ${index}`));
  for (const id of ids) {
    const share = placed.filter((one) => one === id).length;
    expect(share).toBeGreaterThan(850);
    expect(share).toBeLessThan(1150);
  }
  expect(place(candidates.toReversed(), 'block 7')).toBe(placed[7]);
});

test('an endpoint that is removed moves only its own prompts', () => {
  const all = ids.map((id) => candidate(id));
  const fewer = all.filter(({ id }) => id !== 'c');
  for (let index = 0; index < 500; index++) {
    const before = place(all, `block ${index}`);
    if (before !== 'c') expect(place(fewer, `block ${index}`)).toBe(before);
  }
});

test('a request without a prompt goes to the least loaded endpoint', () => {
  const candidates = [candidate('a', 2), candidate('b', 1), candidate('c', 2)];
  expect(chooseEndpoint({ candidates, blocks: [], holdersOf: nobody })).toBe('b');
});

test('an endpoint on this machine is preferred until it has enough to do', () => {
  const choose = (one: Candidate, others: Candidate[]) =>
    chooseEndpoint({ candidates: [one, ...others], blocks: ['1'], holdersOf: () => ['a'] });
  const others = [candidate('a'), candidate('b')];
  expect(choose(local(maxLocalLoad - 1), others)).toBe('local');
  expect(choose(local(maxLocalLoad), others)).toBe('a');
  expect(choose(local(0, true), others)).toBe('a');
  expect(choose(local(maxLocalLoad), [candidate('a', 0, true)])).toBe('local');
});

test('what endpoints say that they have counts more than what was sent there', () => {
  const candidates = ids.map((id) => candidate(id));
  const tokens: Record<string, number> = { b: 256, c: 512 };
  const choose = (matched: (id: string) => number) =>
    chooseEndpoint({ candidates, blocks: ['1'], holdersOf: () => ['a'], matched });
  expect(choose((id) => tokens[id] ?? 0)).toBe('c');
  // Nobody has it: the first block decides, and not where it was sent.
  expect(choose(() => 0)).toBe(place(candidates, '1'));
});

test('few requests are no reason to pass over the endpoint that has a prompt', () => {
  const choose = (load: number) => {
    const candidates = [candidate('a', load), candidate('b', 0), candidate('c', 0)];
    return chooseEndpoint({ candidates, blocks: ['1'], holdersOf: nobody, matched: (id) => (id === 'a' ? 128 : 0) });
  };
  expect(choose(quietLoad - 1)).toBe('a');
  expect(choose(quietLoad)).not.toBe('a');
});
