// The checksum of a zstd frame: the lower half of XXH64 with seed 0. Numbers of 64 bits are two halves, because BigInt takes
// ten times as long.

interface Wide {
  readonly high: number;
  readonly low: number;
}

const primes = {
  first: { high: 0x9e3779b1, low: 0x85ebca87 },
  second: { high: 0xc2b2ae3d, low: 0x27d4eb4f },
  third: { high: 0x165667b1, low: 0x9e3779f9 },
  fourth: { high: 0x85ebca77, low: 0xc2b2ae63 },
  fifth: { high: 0x27d4eb2f, low: 0x165667c5 },
} as const;

const stripeBytes = 32;

export class ContentChecksum {
  /** Four numbers; the high half is first. */
  readonly #lanes: Int32Array;
  readonly #rest = Buffer.alloc(stripeBytes);
  #length = 0;

  constructor() {
    const { first, second } = primes;
    const sum = add(first, second);
    this.#lanes = Int32Array.of(sum.high, sum.low, second.high, second.low, 0, 0, ~first.high, -first.low);
  }

  update(bytes: Buffer): void {
    let at = 0;
    const waiting = this.#length % stripeBytes;
    this.#length += bytes.length;
    if (waiting > 0) {
      at = bytes.copy(this.#rest, waiting, 0, stripeBytes - waiting);
      if (waiting + at < stripeBytes) return;
      addStripes(this.#lanes, this.#rest, 0);
    }
    at = addStripes(this.#lanes, bytes, at);
    bytes.copy(this.#rest, 0, at);
  }

  digest(): number {
    let hash: Wide = primes.fifth;
    if (this.#length >= stripeBytes) {
      const lanes = [0, 2, 4, 6].map((at) => ({ high: this.#lanes[at] as number, low: this.#lanes[at + 1] as number }));
      hash = lanes.map((lane, index) => rotate(lane, [1, 7, 12, 18][index] as number)).reduce(add);
      for (const lane of lanes)
        hash = add(multiply(xor(hash, round({ high: 0, low: 0 }, lane)), primes.first), primes.fourth);
    }
    hash = add(hash, { high: Math.floor(this.#length / 2 ** 32), low: this.#length | 0 });
    const end = this.#length % stripeBytes;
    let at = 0;
    for (; at + 8 <= end; at += 8) {
      hash = rotate(xor(hash, round({ high: 0, low: 0 }, wordAt(this.#rest, at))), 27);
      hash = add(multiply(hash, primes.first), primes.fourth);
    }
    if (at + 4 <= end) {
      const word = multiply({ high: 0, low: this.#rest.readInt32LE(at) }, primes.first);
      hash = add(multiply(rotate(xor(hash, word), 23), primes.second), primes.third);
      at += 4;
    }
    for (; at < end; at++) {
      const byte = multiply({ high: 0, low: this.#rest.readUInt8(at) }, primes.fifth);
      hash = multiply(rotate(xor(hash, byte), 11), primes.first);
    }
    hash = multiply(xor(hash, shiftRight33(hash)), primes.second);
    // A shift by 29, of which only the lower half and what becomes it count.
    hash = multiply(xor(hash, { high: hash.high >>> 29, low: (hash.low >>> 29) | (hash.high << 3) }), primes.third);
    return (hash.low ^ hash.high) >>> 0;
  }
}

/** Like `round`, for many numbers without objects. Returns where the last whole stripe ends. */
function addStripes(lanes: Int32Array, bytes: Buffer, from: number): number {
  const end = bytes.length - ((bytes.length - from) % stripeBytes);
  const { first, second } = primes;
  for (let lane = 0; lane < 4; lane++) {
    let high = lanes[lane * 2] as number;
    let low = lanes[lane * 2 + 1] as number;
    for (let at = from + lane * 8; at < end; at += stripeBytes) {
      const word = bytes.readInt32LE(at);
      const upper = carryOf(word, second.low) + Math.imul(bytes.readInt32LE(at + 4), second.low);
      const sum = (low >>> 0) + (Math.imul(word, second.low) >>> 0);
      high = (high + upper + Math.imul(word, second.high) + (sum >= 2 ** 32 ? 1 : 0)) | 0;
      low = sum | 0;
      const rotated = (low << 31) | (high >>> 1);
      high = (high << 31) | (low >>> 1);
      low = Math.imul(rotated, first.low);
      high = (carryOf(rotated, first.low) + Math.imul(high, first.low) + Math.imul(rotated, first.high)) | 0;
    }
    lanes[lane * 2] = high;
    lanes[lane * 2 + 1] = low;
  }
  return end;
}

function round(lane: Wide, word: Wide): Wide {
  return multiply(rotate(add(lane, multiply(word, primes.second)), 31), primes.first);
}

function wordAt(bytes: Buffer, at: number): Wide {
  return { high: bytes.readInt32LE(at + 4), low: bytes.readInt32LE(at) };
}

function add(a: Wide, b: Wide): Wide {
  const low = (a.low >>> 0) + (b.low >>> 0);
  return { high: (a.high + b.high + (low >= 2 ** 32 ? 1 : 0)) | 0, low: low | 0 };
}

function xor(a: Wide, b: Wide): Wide {
  return { high: a.high ^ b.high, low: a.low ^ b.low };
}

/** By 1 to 31 bits. */
function rotate({ high, low }: Wide, count: number): Wide {
  return { high: (high << count) | (low >>> (32 - count)), low: (low << count) | (high >>> (32 - count)) };
}

function shiftRight33({ high }: Wide): Wide {
  return { high: 0, low: high >>> 1 };
}

function multiply(a: Wide, b: Wide): Wide {
  const high = carryOf(a.low, b.low) + Math.imul(a.high, b.low) + Math.imul(a.low, b.high);
  return { high: high | 0, low: Math.imul(a.low, b.low) };
}

/** The upper half of the product of two halves. */
function carryOf(a: number, b: number): number {
  const upper = (a >>> 16) * (b & 0xffff);
  const lower = (a & 0xffff) * (b >>> 16);
  const middle = (((a & 0xffff) * (b & 0xffff)) >>> 16) + (upper & 0xffff) + (lower & 0xffff);
  return (a >>> 16) * (b >>> 16) + (upper >>> 16) + (lower >>> 16) + (middle >>> 16);
}
