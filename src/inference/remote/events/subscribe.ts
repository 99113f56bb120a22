// Follows the events of one endpoint, as vLLM publishes them: messages of topic, sequence number and batch on a PUB socket,
// and past ones on a ROUTER socket. A connection begins with nothing, has the past repeated, and goes on with what comes.
// If a message is missing, or something else is wrong, everything is forgotten and a new connection begins after a pause.

import type { Logger } from '../../../base/logger.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import { decodeEvents } from './decode-events.ts';
import type { EndpointBlocks } from './endpoint-blocks.ts';
import { reconnectPause, replayTimeout } from './limits.ts';
import { MessageOrder } from './message-order.ts';
import { type EventsAddress, openMessageSocket } from './message-socket.ts';

interface Subscription extends EventsAddress {
  /** Absent: the endpoint repeats nothing. */
  readonly replayPort?: number | undefined;
  readonly blocks: EndpointBlocks;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly logger: Logger;
}

const numberBytes = 8;

export function subscribe(subscription: Subscription): { close(): void } {
  const { remote, host, port, clock, random, logger, blocks } = subscription;
  let isClosed = false;
  let failures = 0;
  let timer: Timer | undefined;
  let close = (): void => {};

  const now = (): number => clock.monotonic() / nanosecondsPerMillisecond;
  const open = (): void => {
    const openedAt = now();
    close = followOnce(subscription, (error) => {
      blocks.reset();
      if (isClosed) return;
      // A connection that lasted was none of those that fail one after the other.
      if (now() - openedAt > reconnectPause.most) failures = 0;
      if (failures === 0)
        logger.warn('the events of an endpoint broke off', { remote, host, port, reason: error?.message });
      const pause = Math.min(reconnectPause.first * 2 ** failures, reconnectPause.most);
      failures++;
      timer = clock.after(pause * (0.5 + random() / 2), open);
    });
  };
  open();
  return {
    close() {
      isClosed = true;
      timer?.cancel();
      close();
    },
  };
}

/** Returns a function that ends it. */
function followOnce(subscription: Subscription, onEnd: (error: Error | undefined) => void): () => void {
  const { blocks, replayPort, clock } = subscription;
  const order = new MessageOrder((payload) => {
    for (const event of decodeEvents(payload)) blocks.apply(event);
  });
  const sockets: { close(): void }[] = [];
  let hasEnded = false;
  const end = (error: Error | undefined): void => {
    if (hasEnded) return;
    hasEnded = true;
    timer?.cancel();
    for (const socket of sockets) socket.close();
    onEnd(error);
  };
  const begin = (): void => {
    order.release();
    blocks.begin();
  };
  let timer: Timer | undefined;
  const attempt = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      end(error as Error);
    }
  };
  const replay = (): void => {
    if (replayPort === undefined) {
      begin();
      return;
    }
    timer = clock.after(replayTimeout, () => end(new Error('repeating the past took too long')));
    let isComplete = false;
    const onMessage = (parts: readonly Buffer[]): void => {
      const [number, payload] = parts.slice(-2);
      if (number === undefined || payload === undefined || number.length !== numberBytes)
        throw new Error('a repeated message has no number');
      if (number.readBigInt64BE() >= 0n) {
        order.repeated(number, payload);
        return;
      }
      isComplete = true;
      timer?.cancel();
      begin();
    };
    const fromStart = [Buffer.alloc(0), Buffer.alloc(numberBytes)];
    const onClosed = (error: Error | undefined): void => {
      if (!isComplete) end(error ?? new Error('the endpoint repeats nothing'));
    };
    sockets.push(
      openMessageSocket({ ...subscription, port: replayPort, type: 'DEALER', first: fromStart, onMessage, onClosed }),
    );
  };
  attempt(() => {
    // To all topics.
    const first = [Buffer.from([1])];
    const onMessage = ([, number, payload]: readonly Buffer[]): void => {
      if (number?.length !== numberBytes || payload === undefined) throw new Error('a message has no number');
      order.arrived(number, payload);
    };
    sockets.push(
      openMessageSocket({
        ...subscription,
        type: 'SUB',
        first,
        onOpen: () => attempt(replay),
        onMessage,
        onClosed: end,
      }),
    );
  });
  return () => end(undefined);
}
