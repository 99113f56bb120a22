// The blobs of a store: files named by their SHA-256. One that has its name is complete and was verified.

import { lstat, rm } from 'node:fs/promises';
import { type Digest, digestOf } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { adoptFile, syncFile, writeDurably, writeInto, writeNew } from '../files/durable-file.ts';
import { orMissing } from '../files/or-missing.ts';
import { readSmallFile } from '../files/read-small-file.ts';
import { createGate } from '../gate.ts';
import type { Layout } from '../layout.ts';
import type { Layer } from '../manifests/manifest.ts';
import type { BlobGuard } from './blob-guard.ts';
import { type HashedBytes, hashFile, writeHashed } from './hash-stream.ts';

export interface WriteBlobOptions {
  readonly mediaType: string;
  /** Where the sender has said which digest it is. */
  readonly expected?: Digest;
  /** Where the sender says it only at the end: called before the blob gets its name, and throws to refuse it. */
  readonly confirm?: (received: Digest) => void;
  /** Ends the writing at once; a source that is silent is for its owner to close. */
  readonly signal?: AbortSignal;
}

export interface Blobs {
  has(digest: Digest): Promise<boolean>;
  locate(digest: Digest): Promise<string>;
  read(layer: Layer): Promise<Buffer>;
  put(content: Uint8Array, mediaType: string): Promise<Layer>;
  write(source: AsyncIterable<Uint8Array>, options: WriteBlobOptions): Promise<Layer>;
  adopt(path: string, digest: Digest, mediaType: string): Promise<Layer>;
  make(write: (path: string) => Promise<void>, mediaType: string): Promise<Layer>;
  remove(digest: Digest): Promise<void>;
}

// Texts and settings; weights are never read whole.
const maxReadableBlob = 16 * 2 ** 20;
// Configs, above all: lists of models read one for each model.
const maxKeptBlob = 4096;
const maxKeptBlobs = 4096;
const filesAtOnce = 32;

export function createBlobs(layout: Layout, guard: BlobGuard): Blobs {
  const kept = new Map<Digest, Buffer>();
  const readers = createGate(filesAtOnce);

  /** Size of the blob; undefined when it is not there. A link is not a blob, wherever it leads. */
  const sizeOf = async (digest: Digest): Promise<number | undefined> => {
    await guard.untilSettled(digest);
    const info = await orMissing(lstat(layout.blob(digest)));
    return info?.isFile() ? info.size : undefined;
  };
  /** From here on it stays, for a while, for whoever asked. */
  const announcedSizeOf = (digest: Digest): Promise<number | undefined> => {
    guard.announce(digest);
    return sizeOf(digest);
  };
  const existingSizeOf = async (digest: Digest): Promise<number> => {
    const size = await sizeOf(digest);
    if (size === undefined) throw damaged(digest, 'is missing from the store');
    return size;
  };
  const keep = (digest: Digest, content: Buffer): void => {
    if (content.byteLength > maxKeptBlob) return;
    if (kept.size >= maxKeptBlobs) kept.clear();
    kept.set(digest, content);
  };

  const read = async (digest: Digest): Promise<Buffer> => {
    const size = await existingSizeOf(digest);
    if (size > maxReadableBlob) throw damaged(digest, 'is too large for what it should be');
    const content = await readSmallFile(layout.blob(digest), size);
    if (digestOf(content) !== digest) throw damaged(digest, 'does not have the content that its name promises');
    keep(digest, content);
    return content;
  };

  /** Gives what `write` has written its name, unless that is taken. */
  const nameAfterContent = async (write: (temporary: string) => Promise<HashedBytes>): Promise<HashedBytes> => {
    let received: HashedBytes | undefined;
    await writeInto(layout.blobs, async (temporary) => {
      const bytes = await write(temporary);
      received = bytes;
      // Somebody else may have brought it meanwhile, and may be using it.
      return (await announcedSizeOf(bytes.digest)) === undefined ? layout.blob(bytes.digest) : undefined;
    });
    return received as HashedBytes;
  };
  const receive = (
    source: AsyncIterable<Uint8Array>,
    { expected, confirm, signal }: WriteBlobOptions,
  ): Promise<HashedBytes> =>
    nameAfterContent(async (temporary) => {
      const bytes = await writeNew(temporary, (file) => writeHashed(file, source, signal));
      if (expected !== undefined && bytes.digest !== expected) throw mismatch(expected, bytes.digest);
      confirm?.(bytes.digest);
      return bytes;
    });

  return {
    has: async (digest) => (await announcedSizeOf(digest)) !== undefined,
    async locate(digest) {
      await existingSizeOf(digest);
      return layout.blob(digest);
    },
    async read({ digest }) {
      const content = kept.get(digest) ?? (await readers(() => read(digest)));
      // A copy, because the kept one is for others too.
      return Buffer.from(content);
    },
    async put(content, mediaType) {
      const digest = digestOf(content);
      if ((await announcedSizeOf(digest)) === undefined) await writeDurably(layout.blob(digest), content);
      return { mediaType, digest, size: content.byteLength };
    },
    async write(source, options) {
      const { mediaType, expected } = options;
      const present = expected && (await announcedSizeOf(expected));
      if (expected !== undefined && present !== undefined) return { mediaType, digest: expected, size: present };
      return { mediaType, ...(await receive(source, options)) };
    },
    async adopt(source, digest, mediaType) {
      if ((await announcedSizeOf(digest)) === undefined) {
        await adoptFile(source, layout.blob(digest), async (file) => {
          if ((await hashFile(file)).digest !== digest)
            throw new HearthError('store_damaged', `${source} does not have the content that it should have`);
        });
      }
      return { mediaType, digest, size: await existingSizeOf(digest) };
    },
    async make(write, mediaType) {
      const bytes = await nameAfterContent(async (temporary) => {
        await write(temporary);
        await syncFile(temporary);
        return hashFile(temporary);
      });
      return { mediaType, ...bytes };
    },
    remove: (digest) =>
      guard.remove(digest, async () => {
        kept.delete(digest);
        await rm(layout.blob(digest), { force: true });
      }),
  };
}

function damaged(digest: Digest, what: string): HearthError {
  return new HearthError('store_damaged', `blob ${digest} ${what}`);
}

function mismatch(expected: Digest, got: Digest): HearthError {
  return new HearthError('bad_request', `digest mismatch, expected "${expected}", got "${got}"`);
}
