// Responses whose bytes go to a stream instead of a socket of Node's HTTP server.

import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';

/** Closes when the stream has everything, and with the stream. */
export function createDetachedResponse(message: IncomingMessage, stream: Writable): ServerResponse {
  const response = new ServerResponse(message);
  // Only the methods of a stream are called.
  const socket = stream as Socket;
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  // Node's server does the rest for its own responses.
  stream.on('drain', () => response.emit('drain'));
  stream.on('error', () => {});
  response.once('finish', () =>
    stream.end(() => {
      response.detachSocket(socket);
      response.destroyed = true;
      response.emit('close');
    }),
  );
  return response;
}

const endOfHeaders = '\r\n\r\n';

/** Where the lines of a response go, such as a WebSocket. */
interface MessageSink {
  send(message: string, written?: (error?: Error) => void): void;
}

/** Sends each line of a response as a message. A reader that is slow makes the stream wait. */
export class MessageStream extends Writable {
  readonly #sink: MessageSink;
  #isBody = false;
  /** The start of a line, or of the headers. */
  #rest = '';

  constructor(sink: MessageSink) {
    super({ decodeStrings: false });
    this.#sink = sink;
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, callback: (error?: Error) => void): void {
    this.#rest += chunk.toString();
    if (!this.#isBody) this.#skipHeaders();
    const lines = this.#isBody ? this.#rest.split('\n') : [this.#rest];
    this.#rest = lines.pop() ?? '';
    this.#send(lines, callback);
  }

  override _final(callback: (error?: Error) => void): void {
    this.#send([this.#rest], callback);
  }

  #skipHeaders(): void {
    const end = this.#rest.indexOf(endOfHeaders);
    if (end === -1) return;
    this.#isBody = true;
    this.#rest = this.#rest.slice(end + endOfHeaders.length);
  }

  #send(lines: readonly string[], callback: (error?: Error) => void): void {
    const messages = lines.filter((line) => line !== '');
    const last = messages.pop();
    for (const message of messages) this.#sink.send(message);
    if (last === undefined) callback();
    else this.#sink.send(last, callback);
  }
}

/** Keeps what is written. */
export class CollectingStream extends Writable {
  readonly chunks: Uint8Array[] = [];

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, callback: () => void): void {
    this.chunks.push(chunk);
    callback();
  }
}
