// Opens files that a create request names on the server's machine. Only regular files are read: a FIFO or a device
// would block a thread of the file system pool, or never end.

import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';

export interface ServerFile {
  readonly handle: FileHandle;
  readonly size: number;
}

// Windows has neither flag.
const { O_NONBLOCK = 0, O_NOCTTY = 0, O_RDONLY } = constants;

/** Rejects if there is no regular file at `path`. The caller closes the handle. */
export async function openServerFile(path: string): Promise<ServerFile> {
  // Opening a device can have effects of its own, so it is recognized before.
  if (!(await stat(path)).isFile()) throw notRegular();
  const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  try {
    const info = await handle.stat();
    // Something else may have taken the path in the meantime.
    if (!info.isFile()) throw notRegular();
    return { handle, size: info.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function notRegular(): Error {
  return new Error('not a regular file');
}

/** The first `length` bytes, or fewer if the file ends before. */
export async function readStart({ handle }: ServerFile, length: number, signal: AbortSignal): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(bytes, filled, length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
