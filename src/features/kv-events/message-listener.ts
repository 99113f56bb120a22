// A socket of ZeroMQ that others connect to, without security. What they send is hostile: it is read with limits, and a reader
// that does not keep up is disconnected; it connects again and has the past repeated.

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { PublisherAddress } from '../../base/config/publisher-address.ts';
import { encodeGreeting, encodeMessage, encodeReady, FrameReader } from '../../inference/remote/events/zmtp-frames.ts';

interface MessageListenerOptions {
  /** The type of this side, such as PUB. */
  readonly type: string;
  /** A message of one side. Its answer goes to that side alone. */
  readonly onMessage: (peer: MessagePeer, parts: readonly Buffer[]) => void;
}

/** Another program that has connected. */
export class MessagePeer {
  readonly #socket: Socket;
  /** Topics that it wants begin with one of these. */
  readonly topics = new Set<string>();

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  send(parts: readonly Uint8Array[]): void {
    if (this.#socket.writableLength > maxWaitingBytes) this.#socket.destroy();
    else this.#socket.write(encodeMessage(parts));
  }

  close(): void {
    this.#socket.destroy();
  }
}

const maxPeers = 64;
const maxWaitingBytes = 64 * 2 ** 20;
/** What a side may send altogether: subscriptions and questions are short. */
const maxReceivedBytes = 2 ** 20;
const greetingMs = 5000;

export class MessageListener {
  readonly #options: MessageListenerOptions;
  readonly #peers = new Set<MessagePeer>();
  readonly #server: Server;

  constructor(options: MessageListenerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = maxPeers;
  }

  peers(): Iterable<MessagePeer> {
    return this.#peers;
  }

  /** Rejects if the address cannot be used. */
  async listen(address: PublisherAddress): Promise<void> {
    this.#server.listen(address);
    await once(this.#server, 'listening');
    // The HTTP server keeps the process alive.
    this.#server.unref();
    // Later errors concern single connections.
    this.#server.on('error', () => {});
  }

  close(): void {
    this.#server.close();
    for (const peer of this.#peers) peer.close();
  }

  #accept(socket: Socket): void {
    const { type, onMessage } = this.#options;
    const peer = new MessagePeer(socket);
    const reader = new FrameReader();
    let received = 0;
    let isReady = false;
    const begin = (): void => {
      if (isReady) return;
      isReady = true;
      socket.setTimeout(0);
      socket.setKeepAlive(true);
      socket.write(encodeReady(type));
      this.#peers.add(peer);
    };
    socket.setTimeout(greetingMs, () => socket.destroy());
    socket.setNoDelay(true);
    socket.write(encodeGreeting());
    socket.on('data', (chunk) => {
      received += chunk.length;
      try {
        if (received > maxReceivedBytes) throw new Error('too many bytes');
        for (const message of reader.push(chunk)) {
          begin();
          onMessage(peer, message);
        }
        if (reader.hasGreeting) begin();
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => this.#peers.delete(peer));
  }
}
