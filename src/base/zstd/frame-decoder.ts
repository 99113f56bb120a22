// Decodes a sequence of zstd frames (RFC 8878) that arrives in pieces of any size. Dictionaries and windows above the limit
// are refused.
//
//   frame     = magic, descriptor, [window], [dictionary], [content size], { block }, [checksum]
//   block     = last 1 bit, type 2 bits, size 21 bits, bytes
//   skippable = magic 0x184D2A50 to 5F, size 4 bytes, bytes

import { BlockDecoder, maxBlockBytes } from './block-decoder.ts';
import { ContentChecksum } from './content-checksum.ts';
import { CorruptZstd } from './entropy-tables.ts';
import { ZstdHistory } from './zstd-history.ts';

const magic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;
// A stream may be this much longer than what it becomes. Otherwise blocks and frames without content are work without end.
const maxRatio = 4;
const slackBytes = 2 ** 20;

interface Frame {
  readonly windowBytes: number;
  readonly contentBytes: number | undefined;
  readonly hasChecksum: boolean;
}

/** So many bytes, to read or to skip. */
interface Demand {
  readonly needs: number;
  readonly skips?: boolean;
}
/** Asks for bytes, or has output. */
type Program<Result> = Generator<Demand | Buffer, Result, Buffer>;

const noBytes = Buffer.alloc(0);

export class FrameDecoder {
  readonly #maxWindowBytes: number;
  readonly #history = new ZstdHistory();
  readonly #blocks = new BlockDecoder(this.#history);
  readonly #input = Buffer.alloc(maxBlockBytes);
  readonly #program = this.#decodeFrames();
  #isBetweenFrames = true;
  #needs = 0;
  #skips = false;
  #filled = 0;
  #received = 0;
  #written = 0;

  constructor(maxWindowBytes: number) {
    this.#maxWindowBytes = maxWindowBytes;
  }

  /** Whether the stream may end here. */
  get isComplete(): boolean {
    return this.#isBetweenFrames && this.#filled === 0;
  }

  /** Yields what the bytes become, a block at a time. A part is empty after a block without content. */
  *decode(chunk: Uint8Array): Generator<Buffer> {
    for (let at = 0; ; ) {
      const taken = Math.min(this.#needs - this.#filled, chunk.length - at);
      if (!this.#skips) this.#input.set(chunk.subarray(at, at + taken), this.#filled);
      at += taken;
      this.#filled += taken;
      this.#received += taken;
      if (this.#received > this.#written * maxRatio + slackBytes)
        throw new CorruptZstd('the stream has too little content');
      if (this.#filled < this.#needs) return;
      this.#filled = 0;
      let request: Demand | Buffer = this.#program.next(
        this.#skips ? noBytes : this.#input.subarray(0, this.#needs),
      ).value;
      for (; 'length' in request; request = this.#program.next(noBytes).value) {
        this.#written += request.length;
        yield request;
      }
      this.#needs = request.needs;
      this.#skips = request.skips === true;
    }
  }

  *#decodeFrames(): Program<never> {
    for (;;) {
      this.#isBetweenFrames = true;
      const start = (yield { needs: 4 }).readUInt32LE();
      this.#isBetweenFrames = false;
      if ((start & ~15) >>> 0 === skippableMagic) {
        const size = (yield { needs: 4 }).readUInt32LE();
        if (size > 0) yield { needs: size, skips: true };
      } else if (start === magic) yield* this.#decodeFrame(yield* this.#readHeader());
      else throw new CorruptZstd('this is not zstd');
    }
  }

  *#readHeader(): Program<Frame> {
    const descriptor = (yield { needs: 1 }).readUInt8();
    const isSingleSegment = (descriptor & 0x20) !== 0;
    if ((descriptor & 8) !== 0) throw new CorruptZstd('a frame has a reserved bit');
    let windowBytes = 0;
    if (!isSingleSegment) {
      const exponent = (yield { needs: 1 }).readUInt8();
      windowBytes = 2 ** (10 + (exponent >> 3)) * (1 + (exponent & 7) / 8);
    }
    const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] as number;
    if (dictionaryBytes > 0 && (yield { needs: dictionaryBytes }).some((byte) => byte !== 0))
      throw new CorruptZstd('a frame needs a dictionary');
    const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] as number;
    let contentBytes: number | undefined;
    if (sizeBytes > 0) {
      const field = yield { needs: sizeBytes };
      contentBytes = field.readUIntLE(0, Math.min(sizeBytes, 6)) + (sizeBytes === 2 ? 256 : 0);
      if (sizeBytes === 8) contentBytes += field.readUInt16LE(6) * 2 ** 48;
    }
    if (isSingleSegment) windowBytes = contentBytes as number;
    if (windowBytes > this.#maxWindowBytes) throw new CorruptZstd('a frame needs a window above the limit');
    return { windowBytes, contentBytes, hasChecksum: (descriptor & 4) !== 0 };
  }

  *#decodeFrame({ windowBytes, contentBytes, hasChecksum }: Frame): Program<void> {
    const maxBytes = Math.min(maxBlockBytes, windowBytes);
    const checksum = hasChecksum ? new ContentChecksum() : undefined;
    this.#history.reset(windowBytes);
    this.#blocks.reset();
    let written = 0;
    for (let isLast = false; !isLast; ) {
      const header = (yield { needs: 3 }).readUIntLE(0, 3);
      isLast = (header & 1) === 1;
      const output = yield* this.#decodeBlock((header >> 1) & 3, header >> 3, maxBytes);
      written += output.length;
      if (contentBytes !== undefined && written > contentBytes) throw new CorruptZstd('a frame is longer than it says');
      checksum?.update(output);
      yield output;
    }
    if (contentBytes !== undefined && written < contentBytes) throw new CorruptZstd('a frame is shorter than it says');
    if (checksum !== undefined && (yield { needs: 4 }).readUInt32LE() !== checksum.digest())
      throw new CorruptZstd('a checksum is wrong');
  }

  *#decodeBlock(type: number, size: number, maxBytes: number): Program<Buffer> {
    if (size > maxBytes || type === 3) throw new CorruptZstd('a block is too large or of an unknown type');
    this.#history.reserve(maxBytes);
    const needs = type === 1 ? 1 : size;
    const bytes = needs === 0 ? noBytes : yield { needs };
    if (type === 0) this.#history.append(bytes, 0, size);
    else if (type === 1) this.#history.fill(bytes.readUInt8(), size);
    else this.#blocks.decode({ bytes, at: 0, end: size }, maxBytes);
    return this.#history.take();
  }
}
