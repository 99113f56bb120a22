// The publisher with Hearth's own subscriber over real sockets.

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../test/support/free-port.ts';
import { publisherAddress } from '../../base/config/publisher-address.ts';
import { silentLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import { chainOf } from '../../inference/protocol/token-chain.ts';
import { EndpointBlocks } from '../../inference/remote/events/endpoint-blocks.ts';
import { subscribe } from '../../inference/remote/events/subscribe.ts';
import { BlockPublisher } from './block-publisher.ts';

const blockSize = 64;
/** Blocks of one token each. */
const tokensOf = (...blocks: number[]): number[] => blocks.flatMap((block) => Array<number>(blockSize).fill(block));
const stored = (hashes: number[], tokens = hashes) => ({
  type: 'blocks' as const,
  blockSize,
  stored: [{ hashes, tokens: tokensOf(...tokens) }],
  removed: [],
});

const addressOf = (port: number) => ({ host: '127.0.0.1', port });

let ports: readonly [number, number];
let publisher: BlockPublisher;
let closing: (() => void)[];
beforeEach(async () => {
  ports = [await freePort(), await freePort()];
  closing = [];
  const [events, replay] = [addressOf(ports[0]), addressOf(ports[1])];
  publisher = new BlockPublisher({ events, replay, clock: systemClock });
  await publisher.listen();
});
afterEach(() => {
  for (const close of closing) close();
  publisher.close();
});

/** What a server knows that follows the events. */
function follow(): (...blocks: number[]) => number {
  const blocks = new EndpointBlocks();
  const [port, replayPort] = ports;
  const address = { remote: 'r', host: '127.0.0.1', port, replayPort };
  const following = subscribe({ ...address, blocks, clock: systemClock, random: () => 0, logger: silentLogger });
  closing.push(() => following.close());
  return (...prompt) => blocks.matched(chainOf(tokensOf(...prompt), blockSize), 0);
}

test('a server learns what is stored before and after it connects, and what is removed', async () => {
  const runner = publisher.open();
  runner.apply(stored([1, 2]));
  const matched = follow();
  await expect.poll(() => matched(1, 2)).toBe(2 * blockSize);
  runner.apply({ ...stored([3, 4]), stored: [{ hashes: [3, 4], parent: 2, tokens: tokensOf(3, 4) }] });
  await expect.poll(() => matched(1, 2, 3, 4)).toBe(4 * blockSize);
  runner.apply({ type: 'blocks', blockSize, stored: [], removed: [3, 4] });
  await expect.poll(() => matched(1, 2, 3, 4)).toBe(2 * blockSize);
  runner.close();
  await expect.poll(() => matched(1, 2)).toBe(0);
});

test('a block of two runners is there until both have ended', async () => {
  const [one, other] = [publisher.open(), publisher.open()];
  for (const runner of [one, other]) runner.apply(stored([1, 2]));
  const matched = follow();
  one.close();
  other.apply(stored([5, 6]));
  await expect.poll(() => matched(5, 6)).toBe(2 * blockSize);
  expect(matched(1, 2)).toBe(2 * blockSize);
  other.close();
  await expect.poll(() => matched(1, 2)).toBe(0);
});

test('events of a runner that do not fit are left out', async () => {
  const runner = publisher.open();
  runner.apply(stored([1, 2], [1]));
  runner.apply({ type: 'blocks', blockSize: 0, stored: [{ hashes: [7], tokens: [] }], removed: [9] });
  runner.apply(stored([3, 4]));
  const matched = follow();
  await expect.poll(() => matched(3, 4)).toBe(2 * blockSize);
  expect(matched(1)).toBe(0);
});

test.each([
  ['no ZMTP', Buffer.from('GET / HTTP/1.1\r\n\r\n'.padEnd(64, '.'))],
  ['a long frame', Buffer.concat([greeting(), Buffer.from([2, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])])],
  ['very much', Buffer.concat([greeting(), Buffer.alloc(2 ** 20, 0)])],
])('a connection that sends %s ends, and others go on', async (_, bytes) => {
  const matched = follow();
  for (const port of ports) {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => {});
    socket.resume();
    socket.write(bytes);
    await once(socket, 'close');
  }
  publisher.open().apply(stored([1, 2]));
  await expect.poll(() => matched(1, 2)).toBe(2 * blockSize);
});

function greeting(): Buffer {
  const bytes = Buffer.alloc(64);
  bytes[0] = 0xff;
  bytes[9] = 0x7f;
  bytes[10] = 3;
  bytes.write('NULL', 12);
  return bytes;
}

test('an address that is taken is an error with the name of its setting', async () => {
  const events = addressOf(ports[0]);
  await expect(new BlockPublisher({ events, clock: systemClock }).listen()).rejects.toThrow(
    /HEARTH_KV_EVENTS: cannot listen on/,
  );
});

test.each([
  ['tcp://127.0.0.1:5557', { host: '127.0.0.1', port: 5557 }],
  ['tcp://*:5557', { port: 5557 }],
  ['tcp://[::1]:5557', { host: '::1', port: 5557 }],
  ['tcp://host.example:0', { host: 'host.example', port: 0 }],
  ['5557', undefined],
  ['ipc:///run/events', undefined],
  ['tcp://127.0.0.1', undefined],
  ['tcp://127.0.0.1:65536', undefined],
])('the address %s', (text, expected) => {
  expect(publisherAddress.parse(text)).toEqual(expected);
});
