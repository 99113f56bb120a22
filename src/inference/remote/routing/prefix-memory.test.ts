import { expect, test } from 'vitest';
import { maxHolders } from './limits.ts';
import { createPrefixMemory } from './prefix-memory.ts';

test('a block has the endpoints that evaluated it, the latest first', () => {
  const memory = createPrefixMemory();
  memory.add('a', ['1', '2']);
  memory.add('b', ['1']);
  expect(memory.holdersOf('1')).toEqual(['b', 'a']);
  expect(memory.holdersOf('2')).toEqual(['a']);
  memory.add('a', ['1']);
  expect(memory.holdersOf('1')).toEqual(['a', 'b']);
});

test('an endpoint that is forgotten has nothing, also when it comes back', () => {
  const memory = createPrefixMemory();
  memory.add('a', ['1', '2']);
  memory.forget('a');
  expect(memory.holdersOf('1')).toEqual([]);
  memory.add('a', ['1']);
  expect(memory.holdersOf('1')).toEqual(['a']);
  expect(memory.holdersOf('2')).toEqual([]);
});

test('the number of blocks is bounded, and the end of a prompt is forgotten before its start', () => {
  const memory = createPrefixMemory(3);
  memory.add('a', ['1', '2']);
  memory.add('b', ['3', '4']);
  expect(memory.holdersOf('2')).toEqual([]);
  expect(memory.holdersOf('1')).toEqual(['a']);
  expect(memory.holdersOf('4')).toEqual(['b']);
});

test('the number of endpoints per block is bounded', () => {
  const memory = createPrefixMemory();
  for (let index = 0; index < 2 * maxHolders; index++) memory.add(`e${index}`, ['1']);
  expect(memory.holdersOf('1')).toHaveLength(maxHolders);
  expect(memory.holdersOf('1')[0]).toBe(`e${2 * maxHolders - 1}`);
});
