// The order of the messages of a publisher, which numbers them, and which repeats past ones on another socket.

import { maxHeldBytes } from './limits.ts';

/** Passes messages on in their order, each once, and the past before the present. */
export class MessageOrder {
  readonly #pass: (payload: Buffer) => void;
  #next: bigint | undefined;
  /** Undefined: the past is complete. */
  #held: { readonly number: bigint; readonly payload: Buffer }[] | undefined = [];
  #heldBytes = 0;

  constructor(pass: (payload: Buffer) => void) {
    this.#pass = pass;
  }

  /** A message of the past. Earlier ones may be gone. Throws if one is missing. */
  repeated(number: Buffer, payload: Buffer): void {
    this.#passOn(number.readBigInt64BE(), payload);
  }

  /** Throws if a message before it is missing. */
  arrived(number: Buffer, payload: Buffer): void {
    const message = { number: number.readBigInt64BE(), payload };
    if (this.#held === undefined) {
      this.#passOn(message.number, payload);
      return;
    }
    this.#heldBytes += payload.length;
    if (this.#heldBytes > maxHeldBytes) throw new Error('too many messages while the past is repeated');
    // A part of a larger buffer.
    this.#held.push({ ...message, payload: Buffer.from(payload) });
  }

  /** The past is complete. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { number, payload } of held) this.#passOn(number, payload);
  }

  #passOn(number: bigint, payload: Buffer): void {
    const expected = this.#next ?? number;
    // Both sockets have sent it.
    if (number < expected) return;
    if (number > expected) throw new Error(`message ${expected} is missing`);
    this.#next = number + 1n;
    this.#pass(payload);
  }
}
