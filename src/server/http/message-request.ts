// A message over a WebSocket as a request: it passes the same checks and limits as one that arrives by itself.

import { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { HearthError } from '../../base/errors.ts';
import type { ApiDialect } from './dialect.ts';

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

/** Each object of a response over a WebSocket is one message, and so is an error. */
export function framingOf(request: Pick<FastifyRequest, 'raw'>, dialect: ApiDialect): ApiDialect['framing'] {
  if (channelOf(request) === undefined) return dialect.framing;
  return {
    contentType: 'application/x-ndjson',
    frame: (object) => `${JSON.stringify(object)}\n`,
    frameError: (error, requestId) => `${JSON.stringify(toErrorMessage(dialect, error, requestId))}\n`,
    end: '',
  };
}

export function toErrorBodyFor(
  request: Pick<FastifyRequest, 'raw'>,
  dialect: ApiDialect,
  error: HearthError,
  requestId: string | undefined,
): object {
  const toBody = channelOf(request) === undefined ? dialect.toErrorBody : toErrorMessage.bind(undefined, dialect);
  return toBody(error, requestId);
}

/** There is no status line, so the status is part of the message. */
export function toErrorMessage(dialect: ApiDialect, error: HearthError, requestId?: string): object {
  return { type: 'error', status: dialect.statusOf(error.code), ...dialect.toErrorBody(error, requestId) };
}
