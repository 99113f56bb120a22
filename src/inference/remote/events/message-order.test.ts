import { expect, test } from 'vitest';
import { maxHeldBytes } from './limits.ts';
import { MessageOrder } from './message-order.ts';

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}

function setUp() {
  const passed: string[] = [];
  const order = new MessageOrder((payload) => passed.push(payload.toString()));
  const arrive = (value: number) => order.arrived(numberOf(value), Buffer.from(`${value}`));
  const repeat = (value: number) => order.repeated(numberOf(value), Buffer.from(`${value}`));
  return { passed, order, arrive, repeat };
}

test('the past comes before what arrived meanwhile, and each message once', () => {
  const { passed, order, arrive, repeat } = setUp();
  arrive(7);
  for (const value of [5, 6, 7]) repeat(value);
  arrive(8);
  expect(passed).toEqual(['5', '6', '7']);
  order.release();
  arrive(9);
  expect(passed).toEqual(['5', '6', '7', '8', '9']);
});

test('a missing message is an error, in the past, between past and present, and later', () => {
  const past = setUp();
  past.repeat(1);
  expect(() => past.repeat(3)).toThrow('message 2 is missing');
  const between = setUp();
  between.repeat(1);
  between.arrive(3);
  expect(() => between.order.release()).toThrow('message 2 is missing');
  const later = setUp();
  later.order.release();
  later.arrive(5);
  expect(() => later.arrive(7)).toThrow('message 6 is missing');
});

test('what waits for the past is limited', () => {
  const { order } = setUp();
  const large = Buffer.alloc(maxHeldBytes / 4);
  for (let value = 0; value < 4; value++) order.arrived(numberOf(value), large);
  expect(() => order.arrived(numberOf(4), large)).toThrow('too many messages');
});
