import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../../../test/support/fake-clock.ts';
import { silentLogger } from '../../../../../base/logger.ts';
import type { KeyScope } from '../../../../../base/request/caller-key.ts';
import type { ResponseEvent } from '../response/events-schema.ts';
import { toInitialResponse } from '../response/initial-response.ts';
import { createResponseStore } from './response-store.ts';

const maxAge = 60_000;
const nobody = { key: undefined };
const initial = (id: string) => toInitialResponse({ model: 'ember' }, { id, now: 0 });
const last = (id: string, sequence_number = 0): ResponseEvent => ({
  type: 'response.completed',
  sequence_number,
  response: { ...initial(id), status: 'completed' },
});
const textOf = (length: number) => [{ id: 'msg_1', type: 'message', content: 'x'.repeat(length) }];

function createStore(maxBytes = 100_000) {
  const clock = createFakeClock();
  const store = createResponseStore({ clock, logger: silentLogger, maxBytes, maxAgeMs: maxAge });
  const put = (id: string, characters = 0) => store.add({ initial: initial(id), input: textOf(characters) }, nobody);
  return { clock, store, put };
}

test('a response is removed when it is too old', () => {
  const { clock, store, put } = createStore();
  put('a');
  clock.advance(maxAge - 1);
  expect(store.find('a', nobody)?.id).toBe('a');
  clock.advance(1);
  expect(store.find('a', nobody)).toBeUndefined();
});

test('the oldest make room; events count as well', () => {
  const { store, put } = createStore();
  put('a', 40_000);
  const second = put('b', 40_000);
  put('c', 40_000);
  expect(['a', 'b', 'c'].map((id) => store.find(id, nobody)?.id)).toEqual([undefined, 'b', 'c']);
  second?.append({ ...last('b'), response: { ...initial('b'), instructions: 'y'.repeat(50_000) } } as ResponseEvent);
  expect(['b', 'c'].map((id) => store.find(id, nobody)?.id)).toEqual([undefined, 'c']);
});

test('what does not fit is not stored', () => {
  const { store, put } = createStore();
  expect(put('a', 200_000)).toBeUndefined();
  expect(createStore(0).put('b')).toBeUndefined();
  expect(store.find('a', nobody)).toBeUndefined();
});

test('a response in the background is not removed until it is finished', () => {
  const { store, put } = createStore();
  let cancels = 0;
  const cancel = (): void => void cancels++;
  const running = store.add({ initial: initial('a'), input: textOf(60_000), cancel }, nobody);
  expect(put('b', 60_000)).toBeUndefined();
  running?.append(last('a'));
  expect(put('b', 60_000)?.id).toBe('b');
  expect([store.find('a', nobody), cancels]).toEqual([undefined, 0]);
});

test('removing and closing cancel what is not finished', () => {
  const { store } = createStore();
  const cancelled: string[] = [];
  const add = (id: string) => store.add({ initial: initial(id), input: [], cancel: () => cancelled.push(id) }, nobody);
  add('a');
  add('b')?.append(last('b'));
  add('c');
  store.remove('a');
  store.close();
  expect(cancelled).toEqual(['a', 'c']);
});

test('items are found by their ids', () => {
  const { store, put } = createStore();
  put('a', 3);
  expect([...store.findItems(new Set(['msg_1', 'msg_2']), nobody).values()]).toEqual(textOf(3));
});

test('a reader gets the events after a number, and those to come', async () => {
  const { store, put } = createStore();
  const record = put('a');
  const keepalive = (sequence_number: number): ResponseEvent => ({ type: 'keepalive', sequence_number });
  record?.append(keepalive(0));
  record?.append(keepalive(1));
  const events = store.find('a', nobody)?.follow(0) as AsyncGenerator<ResponseEvent>;
  expect((await events.next()).value).toEqual(keepalive(1));
  const next = events.next();
  record?.append(last('a', 2));
  expect((await next).value).toEqual(last('a', 2));
  expect((await events.next()).done).toBe(true);
});

test('a response belongs to the key that made it; an administrator sees all', () => {
  const { store } = createStore();
  const keyOf = (id: string, scope: KeyScope) => ({ id, name: id, scope, group: id, models: [], weight: 1 });
  const anna = keyOf('anna', 'infer');
  store.add({ initial: initial('a'), input: textOf(10) }, { key: anna });
  store.add({ initial: initial('open'), input: [] }, nobody);
  const see = (key: ReturnType<typeof keyOf> | undefined) => [
    store.find('a', { key })?.id,
    store.findItems(new Set(['msg_1']), { key }).size,
  ];
  expect(see(anna)).toEqual(['a', 1]);
  expect(see(keyOf('bert', 'manage'))).toEqual([undefined, 0]);
  expect(see(keyOf('root', 'admin'))).toEqual(['a', 1]);
  expect(see(undefined)).toEqual([undefined, 0]);
  expect(store.find('open', { key: anna })).toBeUndefined();
});

test('a response of a channel is only for it, replaces the one before, and goes with it', () => {
  const { store } = createStore();
  const listeners: (() => void)[] = [];
  const channel = { onceClosed: (listener: () => void) => void listeners.push(listener) };
  const other = { onceClosed() {} };
  const add = (id: string) => store.add({ initial: initial(id), input: textOf(10) }, { key: undefined, channel });
  const seen = (id: string) =>
    [channel, other, undefined].map((of) => store.find(id, { key: undefined, channel: of })?.id);
  add('a');
  expect(seen('a')).toEqual(['a', undefined, undefined]);
  expect(store.findItems(new Set(['msg_1']), nobody).size).toBe(0);
  add('b')?.append(last('b'));
  expect([seen('a')[0], seen('b')[0]]).toEqual([undefined, 'b']);
  store.dropFrom(other, 'b');
  expect(seen('b')[0]).toBe('b');
  store.dropFrom(channel, 'b');
  expect(seen('b')[0]).toBeUndefined();
  add('c');
  for (const listener of listeners) listener();
  expect([listeners.length, seen('c')[0]]).toEqual([1, undefined]);
});
