// A small model in the shape of Whisper with random weights, in the format of whisper.cpp: it hears nothing and writes
// arbitrary text.

import { randomNumbers } from '../models/random-numbers.ts';

const magic = 0x67676d6c;
const types = { float32: 0, float16: 1 };
const sizes = { vocabulary: 51_865, audioContext: 1500, textContext: 64, width: 32, heads: 2, layers: 1, mels: 80 };
const textTokens = 50_257;
const spectrumSize = 201;

export function randomWhisper({ seed = 7, scale = 0.3 } = {}): Buffer {
  const { vocabulary, audioContext, textContext, width, heads, layers, mels } = sizes;
  const random = randomNumbers(seed);
  const numbers = (count: number): Float32Array => Float32Array.from({ length: count }, () => (random() - 0.5) * scale);
  const tensor = (name: string, ...shape: readonly number[]): Buffer[] => {
    const values = numbers(shape.reduce((product, size) => product * size, 1));
    const isPlain = shape.length === 1 || /bias|positional/.test(name);
    return [
      integers(shape.length, name.length, isPlain ? types.float32 : types.float16, ...shape.toReversed()),
      Buffer.from(name),
      isPlain ? toBytes(values) : toBytes(Uint16Array.from(values, toHalf)),
    ];
  };
  const pair = (name: string, ...shape: readonly number[]): Buffer[] => [
    ...tensor(`${name}.weight`, ...shape),
    ...tensor(`${name}.bias`, shape[0] as number),
  ];
  const attention = (name: string): Buffer[] => [
    ...pair(`${name}_ln`, width),
    ...['query', 'value', 'out'].flatMap((part) => pair(`${name}.${part}`, width, width)),
    ...tensor(`${name}.key.weight`, width, width),
  ];
  const network = (name: string): Buffer[] => [
    ...pair(`${name}.mlp_ln`, width),
    ...pair(`${name}.mlp.0`, 4 * width, width),
    ...pair(`${name}.mlp.2`, width, 4 * width),
  ];
  // The engine looks for a space.
  const texts = Array.from({ length: textTokens }, (_, index) => (index % 3 === 0 ? ` w${index}` : `${index}`));
  const tokens = [' ', ...texts.slice(1)].map((text) => Buffer.from(text));
  return Buffer.concat([
    integers(
      magic,
      vocabulary,
      audioContext,
      width,
      heads,
      layers,
      textContext,
      width,
      heads,
      layers,
      mels,
      types.float16,
    ),
    integers(mels, spectrumSize),
    toBytes(numbers(mels * spectrumSize).map(Math.abs)),
    integers(tokens.length),
    ...tokens.flatMap((token) => [integers(token.length), token]),
    ...tensor('encoder.positional_embedding', audioContext, width),
    ...tensor('encoder.conv1.weight', width, mels, 3),
    ...tensor('encoder.conv1.bias', width, 1),
    ...tensor('encoder.conv2.weight', width, width, 3),
    ...tensor('encoder.conv2.bias', width, 1),
    ...attention('encoder.blocks.0.attn'),
    ...network('encoder.blocks.0'),
    ...pair('encoder.ln_post', width),
    ...tensor('decoder.positional_embedding', textContext, width),
    ...tensor('decoder.token_embedding.weight', vocabulary, width),
    ...attention('decoder.blocks.0.attn'),
    ...attention('decoder.blocks.0.cross_attn'),
    ...network('decoder.blocks.0'),
    ...pair('decoder.ln', width),
  ]);
}

/** A tone: a WAV file with 16-bit samples. */
export function toneWav(seconds: number, { rate = 16_000, channels = 1 } = {}): Buffer {
  const frames = Math.round(seconds * rate);
  const samples = Buffer.alloc(frames * channels * 2);
  for (let frame = 0; frame < frames; frame++)
    for (let channel = 0; channel < channels; channel++)
      samples.writeInt16LE(Math.round(8000 * Math.sin((frame * 2764) / rate)), (frame * channels + channel) * 2);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

function integers(...values: readonly number[]): Buffer {
  return toBytes(Int32Array.from(values));
}

/** The bits of a small number as F16. */
function toHalf(value: number): number {
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(value) || 2 ** -14)), -14);
  const mantissa = Math.round((Math.abs(value) / 2 ** exponent - 1) * 1024);
  return (value < 0 ? 0x8000 : 0) | (mantissa < 0 ? 0 : (exponent + 15) * 1024 + mantissa);
}

function toBytes({ buffer, byteOffset, byteLength }: Float32Array | Int32Array | Uint16Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
