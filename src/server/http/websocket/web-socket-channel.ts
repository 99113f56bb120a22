// An open WebSocket. Each message is a request; they run one after another.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import { HearthError } from '../../../base/errors.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import type { ApiDialect } from '../dialect.ts';
import { type Channel, MessageRequest, toErrorMessage } from '../message-request.ts';
import type { BodyShare } from '../receiving/body-budget.ts';
import { watchReader } from '../streaming/send-stream.ts';
import { createDetachedResponse, MessageStream } from './detached-response.ts';

export interface ChannelLimits {
  readonly clock: Clock;
  /** Milliseconds that a client may pause in the middle of a message. */
  readonly receiveTimeoutMs: number;
  /** Milliseconds that a client may leave messages unread. */
  readonly stallTimeoutMs: number;
}

interface ChannelOptions extends ChannelLimits {
  readonly handshake: IncomingMessage;
  readonly socket: WebSocket;
  readonly dialect: ApiDialect;
  readonly dispatch: (request: IncomingMessage, response: ServerResponse) => void;
  /** The memory for the bytes of messages that no request has taken yet. */
  readonly openShare: () => BodyShare;
}

// Open Responses limits connections to this time.
const maxAgeMs = 60 * 60_000;
const pingIntervalMs = 30_000;
// For the answer of the client to the end of the connection.
const closeGraceMs = 1000;
const maxWaiting = 8;
// Bytes that are written ahead of a client that sends pings and does not read the answers.
const maxUnreadPongs = 2 ** 20;

/** RFC 6455, section 7.4.1. */
const closeCodes = { normal: 1000, goingAway: 1001, unsupportedData: 1003, policy: 1008, tryAgainLater: 1013 } as const;

export class WebSocketChannel implements Channel {
  readonly #options: ChannelOptions;
  readonly #waiting: Buffer[] = [];
  readonly #timers = new Map<'age' | 'ping' | 'receive' | 'close', Timer>();
  #share: BodyShare;
  /** What the request that runs writes to. */
  #stream: MessageStream | undefined;
  #isAlive = true;
  #isClosing = false;
  /** Called after the running request: it ends the connection. */
  #end: (() => void) | undefined;

  constructor(options: ChannelOptions) {
    this.#options = options;
    const { socket, handshake, clock, stallTimeoutMs, openShare } = options;
    this.#share = openShare();
    const stopWatch = watchReader(handshake.socket, {
      clock,
      timeoutMs: stallTimeoutMs,
      onStall: () => socket.terminate(),
    });
    // Before the listener that reads messages from the bytes.
    handshake.socket.prependListener('data', this.#onBytes);
    socket.on('message', (data: Buffer, isBinary) => this.#onMessage(data, isBinary));
    socket.on('ping', () => this.#onControl());
    socket.on('pong', () => this.#onControl());
    // The library closes the connection after an error.
    socket.on('error', () => {});
    socket.once('close', () => {
      stopWatch();
      for (const timer of this.#timers.values()) timer.cancel();
      this.#waiting.length = 0;
      this.#share.release();
      this.#stream?.destroy();
    });
    this.#after('age', maxAgeMs, () => this.#endWith(() => this.#sendAgeLimit()));
    this.#ping();
  }

  onceClosed(listener: () => void): void {
    this.#options.socket.once('close', listener);
  }

  /** Closes the connection, after the request that runs. */
  close(): void {
    this.#endWith(() => this.#close(closeCodes.goingAway, 'the server is shutting down'));
  }

  readonly #onBytes = (chunk: Uint8Array): void => {
    const { receiveTimeoutMs } = this.#options;
    this.#isAlive = true;
    this.#after('receive', receiveTimeoutMs, () => this.#close(closeCodes.policy, 'the message is not finished'));
    try {
      this.#share.take(chunk.length);
    } catch {
      this.#close(closeCodes.tryAgainLater, 'the server has no memory for the message');
    }
  };

  #onControl(): void {
    const { socket } = this.#options;
    this.#timers.get('receive')?.cancel();
    if (socket.bufferedAmount > maxUnreadPongs) socket.terminate();
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    this.#timers.get('receive')?.cancel();
    // Messages still arrive after the end of the connection was announced.
    if (this.#isClosing) return;
    if (isBinary) this.#close(closeCodes.unsupportedData, 'messages are JSON texts');
    else if (this.#waiting.length >= maxWaiting) this.#close(closeCodes.policy, 'too many messages without a response');
    else this.#waiting.push(data);
    if (this.#stream === undefined) this.#next();
  }

  #next(): void {
    this.#end?.();
    const body = this.#end === undefined ? this.#waiting.shift() : undefined;
    if (body === undefined) return;
    // The request counts its own body.
    if (this.#waiting.length === 0) this.#renewShare();
    const { handshake, socket, dispatch } = this.#options;
    const stream = new MessageStream(socket);
    const request = new MessageRequest(handshake, body, this);
    const response = createDetachedResponse(request, stream);
    this.#stream = stream;
    response.once('close', () => {
      this.#stream = undefined;
      // Something has destroyed the response, such as the limit for clients that do not read.
      if (!response.writableFinished) socket.terminate();
      else this.#next();
    });
    dispatch(request, response);
  }

  #renewShare(): void {
    this.#share.release();
    this.#share = this.#options.openShare();
  }

  #endWith(end: () => void): void {
    this.#end ??= end;
    if (this.#stream === undefined) this.#end();
  }

  #sendAgeLimit(): void {
    const { socket, dialect } = this.#options;
    const message = 'the connection has reached its limit of 60 minutes; open a new one';
    const error = new HearthError('websocket_connection_limit_reached', message);
    socket.send(JSON.stringify(toErrorMessage(dialect, error)));
    this.#close(closeCodes.normal, '');
  }

  #close(code: number, reason: string): void {
    const { socket } = this.#options;
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#waiting.length = 0;
    socket.close(code, reason);
    this.#after('close', closeGraceMs, () => socket.terminate());
  }

  #ping(): void {
    const { socket } = this.#options;
    this.#after('ping', pingIntervalMs, () => {
      if (!this.#isAlive) socket.terminate();
      else {
        this.#isAlive = false;
        socket.ping();
        this.#ping();
      }
    });
  }

  #after(name: 'age' | 'ping' | 'receive' | 'close', milliseconds: number, callback: () => void): void {
    this.#timers.get(name)?.cancel();
    this.#timers.set(name, this.#options.clock.after(milliseconds, callback));
  }
}
