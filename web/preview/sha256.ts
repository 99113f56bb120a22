// SHA-256 for policies. `crypto.subtle` exists only on pages with TLS or on the same machine.

const blockBytes = 64;

function fractionBits(value: number, root: number): number {
  return (value ** (1 / root) * 2 ** 32) | 0;
}

const primes = Array.from({ length: 311 }, (_, index) => index + 2).filter((candidate) =>
  Array.from({ length: 17 }, (_, index) => index + 2).every((other) => other >= candidate || candidate % other !== 0),
);
const roundConstants = primes.slice(0, 64).map((prime) => fractionBits(prime, 3));
const initialState = primes.slice(0, 8).map((prime) => fractionBits(prime, 2));

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** In base64, as policies have it. */
export function sha256(text: string): string {
  const message = pad(new TextEncoder().encode(text));
  const words = new Int32Array(blockBytes);
  const state = Int32Array.from(initialState);
  for (let start = 0; start < message.byteLength; start += blockBytes) addBlock(state, message, start, words);
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setInt32(index * 4, word);
  return btoa(String.fromCharCode(...new Uint8Array(digest.buffer)));
}

/** A one bit, zeros, and the length in bits. */
function pad(bytes: Uint8Array): DataView {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / blockBytes) * blockBytes);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

/** `words` is used again for each block. */
function addBlock(state: Int32Array, message: DataView, start: number, words: Int32Array): void {
  const word = (index: number): number => words[index] ?? 0;
  for (let index = 0; index < 64; index++) {
    if (index < 16) words[index] = message.getInt32(start + index * 4);
    else {
      const [early, late] = [word(index - 15), word(index - 2)];
      const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
      const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
      words[index] = word(index - 16) + first + word(index - 7) + second;
    }
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const choice = (e & f) ^ (~e & g);
    const sum =
      h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (roundConstants[index] ?? 0) + word(index);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const other = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + sum) | 0, c, b, a, (sum + other) | 0];
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + value;
}
