// The program of the thread that converts a WebP to a PNG. It is passed as text, so that it runs before a build, too:
// createConvert may use only its parameters and the language. Types are erased and do not count.

interface DecodedPixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel. */
  readonly data: Uint8ClampedArray;
}

interface ConvertTools {
  readonly decode: (file: Uint8Array) => Promise<DecodedPixels>;
  readonly deflateSync: typeof import('node:zlib').deflateSync;
}

export function createConvert({ decode, deflateSync }: ConvertTools): (file: Uint8Array) => Promise<Uint8Array> {
  const bytesPerPixel = 4;
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

  // node20: zlib.crc32 is only in its later versions.
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value;
  });

  function checksum(bytes: Uint8Array): number {
    let value = 0xffffffff;
    for (const byte of bytes) value = (table[(value ^ byte) & 0xff] as number) ^ (value >>> 8);
    return (value ^ 0xffffffff) >>> 0;
  }

  function chunk(type: string, data: Uint8Array): Buffer {
    const whole = Buffer.alloc(data.length + 12);
    whole.writeUInt32BE(data.length, 0);
    whole.write(type, 4, 'latin1');
    whole.set(data, 8);
    whole.writeUInt32BE(checksum(whole.subarray(4, data.length + 8)), data.length + 8);
    return whole;
  }

  // Each row starts with its filter: the difference to the pixel on the left, which compresses photographs well.
  function filter({ width, height, data }: DecodedPixels): Uint8Array {
    const row = width * bytesPerPixel;
    const filtered = new Uint8Array((row + 1) * height);
    for (let y = 0; y < height; y++) {
      const [from, to] = [y * row, y * (row + 1)];
      filtered[to] = 1;
      for (let x = 0; x < row; x++) {
        const left = x < bytesPerPixel ? 0 : (data[from + x - bytesPerPixel] as number);
        filtered[to + 1 + x] = (data[from + x] as number) - left;
      }
    }
    return filtered;
  }

  return async (file) => {
    const pixels = await decode(file);
    const header = Buffer.alloc(13);
    header.writeUInt32BE(pixels.width, 0);
    header.writeUInt32BE(pixels.height, 4);
    // Eight bits per channel, with alpha.
    header.set([8, 6], 8);
    const data = deflateSync(filter(pixels), { level: 1 });
    return Buffer.concat([
      Buffer.from(signature),
      chunk('IHDR', header),
      chunk('IDAT', data),
      chunk('IEND', Buffer.alloc(0)),
    ]);
  };
}
