// The frames of ZMTP 3.0, the protocol of ZeroMQ, without security: a greeting, the command READY of both sides, then
// messages of one or more parts. The bytes come from another server.

import { maxEventMessageBytes, maxMessageParts } from './limits.ts';

const greetingBytes = 64;
const flags = { more: 1, long: 2, command: 4 } as const;
const signature = { first: 0xff, last: 0x7f, length: 10 } as const;
const mechanism = Buffer.alloc(20);
mechanism.write('NULL');

/** What a side sends first. */
export function encodeGreeting(): Buffer {
  const greeting = Buffer.alloc(greetingBytes);
  greeting[0] = signature.first;
  greeting[signature.length - 1] = signature.last;
  greeting[signature.length] = 3;
  mechanism.copy(greeting, 12);
  return greeting;
}

/** The command READY with the type of the socket. */
export function encodeReady(socketType: string): Buffer {
  const name = 'Socket-Type';
  const size = Buffer.alloc(4);
  size.writeUInt32BE(socketType.length);
  const body = Buffer.concat([
    Buffer.from([5]),
    Buffer.from('READY'),
    Buffer.from([name.length]),
    Buffer.from(name),
    size,
    Buffer.from(socketType),
  ]);
  return Buffer.concat([Buffer.from([flags.command, body.length]), body]);
}

export function encodeMessage(parts: readonly Uint8Array[]): Buffer {
  const frames = parts.flatMap((part, index) => {
    const more = index < parts.length - 1 ? flags.more : 0;
    if (part.length < 256) return [Buffer.from([more, part.length]), part];
    const head = Buffer.alloc(9);
    head[0] = more | flags.long;
    head.writeBigUInt64BE(BigInt(part.length), 1);
    return [head, part];
  });
  return Buffer.concat(frames);
}

/** Reads what the other side sends, in pieces of any length. Throws if it is no ZMTP, or a message is too long. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Whether the other side speaks ZMTP. */
  hasGreeting = false;
  #parts: Buffer[] = [];
  #messageBytes = 0;

  /** The messages that are complete. Commands are left out. */
  *push(chunk: Buffer): Generator<readonly Buffer[]> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (!this.hasGreeting) {
      const greeting = this.#take(greetingBytes);
      if (greeting === undefined) return;
      checkGreeting(greeting);
      this.hasGreeting = true;
    }
    for (let frame = this.#frame(); frame !== undefined; frame = this.#frame()) {
      if (frame.isCommand) continue;
      this.#parts.push(frame.body);
      this.#messageBytes += frame.body.length;
      if (this.#parts.length > maxMessageParts || this.#messageBytes > maxEventMessageBytes)
        throw new Error('a message is too long');
      if (frame.hasMore) continue;
      const message = this.#parts;
      this.#parts = [];
      this.#messageBytes = 0;
      yield message;
    }
  }

  #frame(): { readonly body: Buffer; readonly hasMore: boolean; readonly isCommand: boolean } | undefined {
    const head = this.#peek(9);
    const [bits = 0, short = 0] = head;
    const isLong = (bits & flags.long) !== 0;
    const headBytes = isLong ? 9 : 2;
    if (head.length < headBytes) return undefined;
    const length = isLong ? Number(head.readBigUInt64BE(1)) : short;
    if (length > maxEventMessageBytes) throw new Error('a message is too long');
    const frame = this.#take(headBytes + length);
    if (frame === undefined) return undefined;
    const hasMore = (bits & flags.more) !== 0;
    return { body: frame.subarray(headBytes), hasMore, isCommand: (bits & flags.command) !== 0 };
  }

  #peek(bytes: number): Buffer {
    const [first] = this.#chunks;
    if (first === undefined) return Buffer.alloc(0);
    if (first.length >= bytes || this.#chunks.length === 1) return first.subarray(0, bytes);
    return Buffer.concat(this.#chunks.slice(0, bytes)).subarray(0, bytes);
  }

  #take(bytes: number): Buffer | undefined {
    if (this.#bytes < bytes) return undefined;
    const [first] = this.#chunks;
    const all = first !== undefined && first.length >= bytes ? first : Buffer.concat(this.#chunks);
    const rest = all === first ? this.#chunks.slice(1) : [];
    const left = all.subarray(bytes);
    this.#chunks = left.length === 0 ? rest : [left, ...rest];
    this.#bytes -= bytes;
    return all.subarray(0, bytes);
  }
}

function checkGreeting(greeting: Buffer): void {
  const isSigned = greeting[0] === signature.first && greeting[signature.length - 1] === signature.last;
  const [major = 0] = greeting.subarray(signature.length);
  if (!isSigned || major < 3) throw new Error('the other side does not speak ZMTP 3');
  if (!greeting.subarray(12, 32).equals(mechanism))
    throw new Error('the other side wants a login, which is not supported');
}
