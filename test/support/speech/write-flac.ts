// FLAC files without compression of their samples, and silence, which takes 14 bytes for any number of samples.

interface FlacOptions {
  readonly rate?: number;
  readonly channels?: number;
  /** Of a sample. */
  readonly bits?: 16 | 24;
}

interface SilenceOptions {
  /** Whether the file says how long it is. */
  readonly saysLength: boolean;
}

const maxBlock = 65_535;
const sizeCodes = { 16: 4, 24: 6 };

/** The tone of `toneWav`. */
export function toneFlac(seconds: number, { rate = 16_000, channels = 1, bits = 16 }: FlacOptions = {}): Buffer {
  const count = Math.round(seconds * rate);
  const scale = 2 ** (bits - 16);
  const sampleAt = (index: number): number => Math.round(8000 * Math.sin((index * 2764) / rate)) * scale;
  const block = 4096;
  const frames = Array.from({ length: Math.ceil(count / block) }, (_, number) => {
    const size = Math.min(block, count - number * block);
    const samples = Buffer.alloc((size * bits) / 8);
    for (let index = 0; index < size; index++)
      samples.writeIntBE(sampleAt(number * block + index), (index * bits) / 8, bits / 8);
    const subframe = Buffer.concat([Buffer.from([1 << 1]), samples]);
    return frame(number, size, { channels, bits }, subframe);
  });
  return Buffer.concat([description({ block, rate, channels, bits, count }), ...frames]);
}

/** With 4000 samples per second, so that a frame stands for 16 seconds. */
export function silentFlac(seconds: number, { saysLength }: SilenceOptions): Buffer {
  const rate = 4000;
  const channels = 1;
  const bits = 16;
  const frames = Array.from({ length: Math.ceil((seconds * rate) / maxBlock) }, (_, number) =>
    frame(number, maxBlock, { channels, bits }, Buffer.alloc(3)),
  );
  const count = saysLength ? frames.length * maxBlock : 0;
  return Buffer.concat([description({ block: maxBlock, rate, channels, bits, count }), ...frames]);
}

type Description = Required<FlacOptions> & { readonly block: number; readonly count: number };

function description({ block, rate, channels, bits, count }: Description): Buffer {
  const bytes = Buffer.alloc(42);
  bytes.write('fLaC');
  // The last block of metadata.
  bytes[4] = 0x80;
  bytes[7] = 34;
  bytes.writeUInt16BE(block, 8);
  bytes.writeUInt16BE(block, 10);
  const packed = (BigInt(rate) << 44n) | (BigInt(channels - 1) << 41n) | (BigInt(bits - 1) << 36n) | BigInt(count);
  bytes.writeBigUInt64BE(packed, 18);
  return bytes;
}

function frame(
  number: number,
  size: number,
  { channels, bits }: Required<Omit<FlacOptions, 'rate'>>,
  subframe: Buffer,
) {
  const header = Buffer.concat([
    // Blocks of one size, which is at the end of the header.
    Buffer.from([0xff, 0xf8, 0x70, ((channels - 1) << 4) | (sizeCodes[bits] << 1)]),
    Buffer.from(String.fromCodePoint(number)),
    Buffer.from([(size - 1) >> 8, (size - 1) & 0xff]),
  ]);
  const subframes = Array.from({ length: channels }, () => subframe);
  const body = Buffer.concat([header, Buffer.from([checksum(header, 8, 0x07)]), ...subframes]);
  const sum = checksum(body, 16, 0x8005);
  return Buffer.concat([body, Buffer.from([sum >> 8, sum & 0xff])]);
}

function checksum(bytes: Buffer, width: 8 | 16, polynomial: number): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) sum = (sum << 1) ^ (((sum >> (width - 1)) & 1) * (polynomial | (1 << width)));
  }
  return sum & (2 ** width - 1);
}
