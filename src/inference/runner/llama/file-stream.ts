// Files for llama.cpp that do not exist on disk: a stream of the C library whose bytes come from a function here. Only the
// libraries of Linux can open one this way. llama.cpp reads it on the thread that loads the model.

import koffi from 'koffi';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { bindFunction } from './bindings/bind-function.ts';
import type { Address } from './bindings/pointers.ts';

/** A file that is read as a whole or in parts, but exists only as a description. */
export interface VirtualFile {
  readonly bytes: number;
  /** Fills the target as far as the file goes, and returns the number of bytes. */
  read(position: number, target: Uint8Array): number;
  close(): void;
}

// The C library copies from this buffer, so it should fit into a cache of the processor. Most tensors are larger.
const bufferBytes = 256 * 1024;
const fullyBuffered = 0;

koffi.proto('int64 stream_read(void *cookie, void *target, size_t bytes)');
koffi.proto('int stream_seek(void *cookie, int64 *offset, int from)');
koffi.struct('stream_functions', {
  read: 'stream_read *',
  write: 'void *',
  seek: 'stream_seek *',
  close: 'void *',
});

interface StreamFunctions {
  readonly read: Address;
  readonly write: null;
  readonly seek: Address;
  readonly close: null;
}

function bindStreams() {
  const library = koffi.load(null);
  return {
    open: bindFunction<(cookie: null, mode: string, functions: StreamFunctions) => Address | null>(
      library,
      'void *fopencookie(void *cookie, const char *mode, stream_functions functions)',
    ),
    setBuffer: bindFunction<(file: Address, buffer: Buffer, mode: number, bytes: number) => number>(
      library,
      'int setvbuf(void *file, void *buffer, int mode, size_t bytes)',
    ),
    close: bindFunction<(file: Address) => number>(library, 'int fclose(void *file)'),
  };
}

/** Calls `use` with a stream that must not be used afterwards. Throws what `source` throws. */
export function withFileStream<Result>(source: VirtualFile, use: (file: Address) => Result): Result {
  const streams = bindStreams();
  const buffer = Buffer.alloc(bufferBytes);
  const cursor = new StreamCursor(source, buffer);
  const read = register(cursor.read, 'stream_read *');
  const seek = register(cursor.seek, 'stream_seek *');
  const file = streams.open(null, 'rb', { read, write: null, seek, close: null });
  try {
    if (file === null) throw new HearthError('load_failed', 'the C library could not open a stream');
    streams.setBuffer(file, buffer, fullyBuffered, buffer.length);
    const result = use(file);
    if (cursor.failure !== undefined) throw new HearthError('load_failed', messageOf(cursor.failure));
    return result;
  } finally {
    if (file !== null) streams.close(file);
    koffi.unregister(read);
    koffi.unregister(seek);
  }
}

function register(callback: (...args: never[]) => number, type: string): Address {
  return koffi.register(callback, type) as unknown as Address;
}

class StreamCursor {
  failure: unknown;
  readonly #source: VirtualFile;
  readonly #buffer: Buffer;
  readonly #address: bigint;
  #position = 0;

  /** `buffer`: the one of the stream. */
  constructor(source: VirtualFile, buffer: Buffer) {
    this.#source = source;
    this.#buffer = buffer;
    this.#address = koffi.address(buffer);
  }

  /** An exception must not reach C. */
  readonly read = (_cookie: unknown, target: Address, bytes: number): number => {
    try {
      const count = this.#source.read(this.#position, this.#targetAt(target, Number(bytes)));
      this.#position += count;
      return count;
    } catch (error) {
      this.failure = error;
      return -1;
    }
  };

  /** The C library reads into its buffer. A view of other memory is expensive to make. */
  #targetAt(address: Address, bytes: number): Uint8Array {
    const start = Number(address - this.#address);
    const isInside = start >= 0 && start + bytes <= this.#buffer.length;
    return isInside ? this.#buffer.subarray(start, start + bytes) : new Uint8Array(koffi.view(address, bytes));
  }

  /** The offset is replaced by the new position. */
  readonly seek = (_cookie: unknown, offset: Address, from: number): number => {
    const value = new BigInt64Array(koffi.view(offset, BigInt64Array.BYTES_PER_ELEMENT));
    const starts = [0, this.#position, this.#source.bytes];
    const position = (starts[from] ?? 0) + Number(value[0]);
    if (position < 0) return -1;
    this.#position = position;
    value[0] = BigInt(position);
    return 0;
  };
}
