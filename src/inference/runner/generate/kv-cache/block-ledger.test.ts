import { expect, test } from 'vitest';
import type { BlocksEvent } from '../../../protocol/messages.ts';
import { announcedBlockSize, BlockLedger, type HeldPrefix } from './block-ledger.ts';

/** A prefix whose blocks have one token each. */
const prefix = (...blocks: number[]): HeldPrefix => ({
  tokens: Int32Array.from(blocks.flatMap((block) => Array<number>(announcedBlockSize).fill(block))),
  partition: '',
});

/** What another side knows after all events: the first tokens of the blocks of each chain. */
function chainsOf(events: readonly BlocksEvent[]): string[] {
  const chains = new Map<number, string>();
  for (const { stored, removed } of events) {
    for (const hash of removed) chains.delete(hash);
    for (const run of stored) addRun(chains, run);
  }
  return [...chains.values()].sort();
}

function addRun(chains: Map<number, string>, { hashes, parent, tokens }: BlocksEvent['stored'][number]): void {
  let before = parent === undefined ? '' : chains.get(parent);
  for (const [index, hash] of hashes.entries()) {
    if (before === undefined) throw new Error('a block comes before its parent');
    before += String(tokens[index * announcedBlockSize]);
    chains.set(hash, before);
  }
}

function setUp() {
  const events: BlocksEvent[] = [];
  const ledger = new BlockLedger(7, (event) => events.push(event));
  const known = (): string[] => chainsOf(events);
  return { ledger, events, known };
}

test('blocks are announced once, and removed with the last prefix that has them', () => {
  const { ledger, known, events } = setUp();
  const [one, other] = [prefix(1, 2, 3), prefix(1, 2, 4)];
  ledger.added(one);
  ledger.added(other);
  ledger.flush();
  expect(known()).toEqual(['1', '12', '123', '124']);
  expect(events.flatMap(({ stored }) => stored.flatMap(({ hashes }) => hashes))).toHaveLength(4);
  ledger.removed(one);
  ledger.flush();
  expect(known()).toEqual(['1', '12', '124']);
  ledger.removed(other);
  ledger.flush();
  expect(known()).toEqual([]);
});

test('a prefix that a longer one replaces changes only what is new', () => {
  const { ledger, events } = setUp();
  const short = prefix(1, 2);
  ledger.added(short);
  ledger.flush();
  ledger.removed(short);
  ledger.added(prefix(1, 2, 3));
  ledger.flush();
  expect(events.slice(1)).toMatchObject([{ removed: [], stored: [{ tokens: Array(announcedBlockSize).fill(3) }] }]);
});

test('what comes and goes between two steps is not announced', () => {
  const { ledger, events } = setUp();
  const gone = prefix(1);
  ledger.added(gone);
  ledger.removed(gone);
  ledger.flush();
  ledger.flush();
  expect(events).toEqual([]);
});

test('parts of blocks, images and prefixes of one client are left out', () => {
  const { ledger, known } = setUp();
  ledger.added({ tokens: Int32Array.from(Array(announcedBlockSize - 1).fill(1)), partition: '' });
  ledger.added({ ...prefix(2), partition: '["anna",""]' });
  ledger.added(prefix(3, -1, 4));
  ledger.flush();
  expect(known()).toEqual(['3']);
});

test('many blocks are sent in parts that follow each other', () => {
  const { ledger, events, known } = setUp();
  ledger.added(prefix(...Array.from({ length: 600 }, (_, index) => index)));
  ledger.flush();
  expect(events.length).toBeGreaterThan(2);
  expect(known()).toHaveLength(600);
});
