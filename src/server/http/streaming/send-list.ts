// Sends a JSON text with a long list, such as vectors. It is written in parts, and other requests run in between.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

interface ListText {
  readonly head: string;
  /** JSON texts. Each is made when it is sent. */
  readonly elements: Iterable<string>;
  readonly tail: string;
}

// A part of numbers takes about five milliseconds.
const partLength = 2 ** 15;
const json = 'application/json; charset=utf-8';

/** The JSON texts of a list, one at a time. */
export function* eachOf<Item>(items: readonly Item[], write: (item: Item, index: number) => string): Generator<string> {
  for (const [index, item] of items.entries()) yield write(item, index);
}

/** A short text is sent at once. */
export function sendList(reply: FastifyReply, text: ListText): FastifyReply {
  const parts = partsOf(text);
  const { value: first = '' } = parts.next();
  const { value: second, done } = parts.next();
  if (done) return reply.type(json).send(first);
  return reply.type(json).send(Readable.from(spread(first, second, parts), { objectMode: false }));
}

async function* spread(first: string, second: string, rest: Iterable<string>): AsyncGenerator<string> {
  yield first;
  yield second;
  for (const part of rest) {
    yield part;
    await setImmediate();
  }
}

function* partsOf({ head, elements, tail }: ListText): Generator<string, undefined> {
  let part = head;
  let separator = '';
  for (const element of elements) {
    part += separator + element;
    separator = ',';
    if (part.length < partLength) continue;
    yield part;
    part = '';
  }
  yield part + tail;
}
