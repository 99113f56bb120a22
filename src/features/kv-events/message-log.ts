// The past messages of a publisher, for readers that connect later. Bounded: the oldest are forgotten first.

interface NumberedMessage {
  /** 64 bits, big-endian. */
  readonly number: Buffer;
  readonly payload: Uint8Array;
}

const maxMessages = 10_000;
const maxBytes = 32 * 2 ** 20;

export class MessageLog {
  #messages: NumberedMessage[] = [];
  #bytes = 0;
  #next = 0n;

  add(payload: Uint8Array): NumberedMessage {
    const message = { number: numberOf(this.#next), payload };
    this.#next++;
    this.#messages.push(message);
    this.#bytes += payload.length;
    while (this.#messages.length > maxMessages || this.#bytes > maxBytes)
      this.#bytes -= this.#messages.shift()?.payload.length ?? 0;
    return message;
  }

  /** The messages with this number and higher ones. */
  from(first: bigint): readonly NumberedMessage[] {
    return this.#messages.filter(({ number }) => number.readBigInt64BE() >= first);
  }
}

export function numberOf(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}
