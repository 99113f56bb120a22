// Draws test images: colored shapes on white, as PNG, JPEG, GIF and BMP.

import { crc32, deflateSync } from 'node:zlib';

export type Shape = 'circle' | 'square' | 'triangle' | 'cross';
export type Color = readonly [red: number, green: number, blue: number];

export const colors = {
  red: [220, 30, 30],
  green: [30, 160, 60],
  blue: [40, 70, 220],
  yellow: [240, 210, 40],
} as const satisfies Record<string, Color>;

export interface Drawing {
  readonly shape: Shape;
  readonly color: Color;
  readonly width?: number;
  readonly height?: number;
}

/** Coordinates from -1 to 1 on the shorter side. */
const covers: Readonly<Record<Shape, (x: number, y: number) => boolean>> = {
  circle: (x, y) => x * x + y * y <= 0.36,
  square: (x, y) => Math.max(Math.abs(x), Math.abs(y)) <= 0.55,
  triangle: (x, y) => y <= 0.55 && y >= -0.6 && Math.abs(x) <= ((y + 0.6) / 1.15) * 0.65,
  cross: (x, y) => Math.max(Math.abs(x), Math.abs(y)) <= 0.6 && Math.min(Math.abs(x), Math.abs(y)) <= 0.2,
};

/** Whether the shape, in the middle of the picture, covers the pixel. */
function isCovered({ shape, width = 128, height = 128 }: Omit<Drawing, 'color'>, x: number, y: number): boolean {
  const shorter = Math.min(width, height);
  return covers[shape]((2 * x + 1 - width) / shorter, (2 * y + 1 - height) / shorter);
}

export function drawPng({ shape, color, width = 128, height = 128 }: Drawing): Buffer {
  const row = 1 + width * 3;
  const pixels = Buffer.alloc(row * height, 0xff);
  for (let y = 0; y < height; y++) {
    // Each row starts with its filter type: none.
    pixels[y * row] = 0;
    for (let x = 0; x < width; x++) {
      if (isCovered({ shape, width, height }, x, y)) pixels.set(color, y * row + 1 + x * 3);
    }
  }
  return encodePng({ width, height, data: deflateSync(pixels) });
}

export interface PngParts {
  readonly width: number;
  readonly height: number;
  /** Default: 8 bits per channel, RGB. */
  readonly bitDepth?: number;
  readonly colorType?: number;
  readonly interlaced?: boolean;
  /** Compressed rows. */
  readonly data: Uint8Array;
}

/** A PNG with the given header, valid or not. */
export function encodePng({ width, height, bitDepth = 8, colorType = 2, interlaced = false, data }: PngParts): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bitDepth, colorType, 0, 0, interlaced ? 1 : 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  chunk.set(body, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/** Whether the shape covers each pixel, row by row from the top. */
function* coverage(drawing: Drawing): Generator<boolean> {
  const { width = 128, height = 128 } = drawing;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) yield isCovered(drawing, x, y);
}

/** 32 bits per pixel, so that rows need no padding; the first row is on top. */
export function drawBmp(drawing: Drawing): Buffer {
  const { color, width = 128, height = 128 } = drawing;
  const header = Buffer.alloc(54);
  header.write('BM', 'latin1');
  header.writeUInt32LE(54 + width * height * 4, 2);
  header.writeUInt32LE(54, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(-height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(32, 28);
  const [red, green, blue] = color;
  const pixels = [...coverage(drawing)].flatMap((covered) =>
    covered ? [blue, green, red, 0xff] : [0xff, 0xff, 0xff, 0xff],
  );
  return Buffer.concat([header, Buffer.from(pixels)]);
}

// With 128 colors, codes have eight bits until the table of the decoder has 256 entries.
const gifCodes = { clear: 128, end: 129, literals: 120 };

/** Two colors of a table of 128. The table of the decoder is cleared before its codes would get longer. */
export function drawGif(drawing: Drawing): Buffer {
  const { color, width = 128, height = 128 } = drawing;
  const header = Buffer.alloc(13);
  header.write('GIF89a', 'latin1');
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  header[10] = 0xf6;
  const table = Buffer.alloc(128 * 3, 0xff);
  table.set(color, 3);
  const frame = Buffer.alloc(10);
  frame[0] = 0x2c;
  frame.writeUInt16LE(width, 5);
  frame.writeUInt16LE(height, 7);
  const codes: number[] = [];
  for (const [index, covered] of [...coverage(drawing)].entries()) {
    if (index % gifCodes.literals === 0) codes.push(gifCodes.clear);
    codes.push(covered ? 1 : 0);
  }
  codes.push(gifCodes.end);
  const blocks: Buffer[] = [];
  for (let start = 0; start < codes.length; start += 255) {
    const block = codes.slice(start, start + 255);
    blocks.push(Buffer.from([block.length, ...block]));
  }
  return Buffer.concat([header, table, frame, Buffer.from([7]), ...blocks, Buffer.from([0, 0x3b])]);
}

const blockSide = 8;

/** A baseline JPEG of single-color blocks; the sides are multiples of 8. */
export function drawJpeg({ shape, color, width = 512, height = 512 }: Drawing): Buffer {
  const bits: string[] = [];
  const before = [0, 0, 0];
  for (let y = blockSide / 2; y < height; y += blockSide) {
    for (let x = blockSide / 2; x < width; x += blockSide) {
      const inside = isCovered({ shape, width, height }, x - 0.5, y - 0.5);
      const levels = toLevels(inside ? color : [255, 255, 255]);
      levels.forEach((level, component) => {
        bits.push(encodeLevel(level - (before[component] as number)));
        before[component] = level;
      });
    }
  }
  return encodeJpeg({ width, height, scans: [packBits(bits.join(''))] });
}

/** YCbCr, centered at zero. */
function toLevels([red, green, blue]: Color): number[] {
  return [
    0.299 * red + 0.587 * green + 0.114 * blue - 128,
    -0.1687 * red - 0.3313 * green + 0.5 * blue,
    0.5 * red - 0.4187 * green - 0.0813 * blue,
  ].map((value) => Math.max(-128, Math.min(127, Math.round(value))));
}

/** Uses the tables below: four bits for the size of the difference, the difference, one bit for the end of the block. */
function encodeLevel(difference: number): string {
  const size = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
  const value = difference < 0 ? difference + 2 ** size - 1 : difference;
  return `${size.toString(2).padStart(4, '0')}${size === 0 ? '' : value.toString(2).padStart(size, '0')}0`;
}

function packBits(bits: string): Buffer {
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  const bytes: number[] = [];
  for (let at = 0; at < padded.length; at += 8) {
    const byte = Number.parseInt(padded.slice(at, at + 8), 2);
    bytes.push(byte);
    // Byte stuffing: 0xff would start a marker.
    if (byte === 0xff) bytes.push(0);
  }
  return Buffer.from(bytes);
}

export interface JpegParts {
  readonly width: number;
  readonly height: number;
  /** Frame type; 0xc0 is baseline. */
  readonly marker?: number;
  readonly scans: readonly Uint8Array[];
}

/** A JPEG with the given header, valid or not. */
export function encodeJpeg({ width, height, marker = 0xc0, scans }: JpegParts): Buffer {
  const segment = (type: number, body: readonly number[]): Buffer =>
    Buffer.from([0xff, type, (body.length + 2) >> 8, (body.length + 2) & 0xff, ...body]);
  const components = [1, 2, 3];
  const frame = [
    8,
    height >> 8,
    height & 0xff,
    width >> 8,
    width & 0xff,
    3,
    ...components.flatMap((id) => [id, 0x11, 0]),
  ];
  const scanHead = segment(0xda, [3, ...components.flatMap((id) => [id, 0x00]), 0, 63, 0]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    // Quantization table: eight throughout, so that a DC level is the mean of its block.
    segment(0xdb, [0, ...new Array<number>(64).fill(8)]),
    segment(marker, frame),
    // Huffman tables. DC: nine sizes of four bits each. AC: only the end of block, one bit.
    segment(0xc4, [0x00, 0, 0, 0, 9, ...new Array<number>(12).fill(0), 0, 1, 2, 3, 4, 5, 6, 7, 8]),
    segment(0xc4, [0x10, 1, ...new Array<number>(15).fill(0), 0]),
    ...scans.flatMap((scan) => [scanHead, scan]),
    Buffer.from([0xff, 0xd9]),
  ]);
}
