// A message over a WebSocket as a request: it passes the same checks and limits as one that arrives by itself.

import { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** The WebSocket that requests come over. */
export interface Channel {
  /** Calls the listener once when the connection is closed. */
  onceClosed(listener: () => void): void;
}

// What describes the connection or the body of the handshake.
const ownHeaders = /^(?:connection|upgrade|sec-websocket-.*|content-.*|transfer-encoding|expect)$/;

export class MessageRequest extends IncomingMessage {
  readonly channel: Channel;

  constructor(handshake: IncomingMessage, body: Buffer, channel: Channel) {
    super(handshake.socket);
    this.channel = channel;
    this.method = 'POST';
    this.url = handshake.url;
    // A response to this version has neither chunks nor a connection to keep.
    Object.assign(this, { httpVersion: '1.0', httpVersionMajor: 1, httpVersionMinor: 0 });
    const kept = Object.entries(handshake.headers).filter(([name]) => !ownHeaders.test(name));
    this.headers = { ...Object.fromEntries(kept), 'content-length': String(body.length) };
    this.push(body);
    this.push(null);
    this.complete = true;
  }
}

/** Undefined: the request did not come over a WebSocket. */
export function channelOf({ raw }: Pick<FastifyRequest, 'raw'>): Channel | undefined {
  return raw instanceof MessageRequest ? raw.channel : undefined;
}
