// The log file of the background server.

import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HearthError } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import { safeText } from '../output/format.ts';

// A log that is larger at the start of a server is kept under another name, and replaced by the next one.
const maxLogBytes = 2 ** 20;
const maxTailBytes = 4096;

/** Appends: two commands may start a server at the same time. */
export async function openServerLog(path: string) {
  let file: FileHandle;
  try {
    await makeFolder(dirname(path), { mode: 0o700 });
    const present = await stat(path).catch(() => undefined);
    if (present !== undefined && present.size > maxLogBytes) await rename(path, `${path}.old`);
    file = await open(path, 'a+', 0o600);
  } catch (error) {
    const message = `cannot write the log of the server, ${safeText(path)}: ${describeSystemError(error)}. Make the home folder writable, or start a server with \`hearth serve\``;
    throw new HearthError('bad_configuration', message, { cause: error });
  }
  const { size: start } = await file.stat();
  return {
    path,
    descriptor: file.fd,
    /** The last lines written since the log was opened. Servers of other commands may have written some of them. */
    async lastLines(): Promise<string[]> {
      const { size } = await file.stat();
      const from = Math.max(start, size - maxTailBytes);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxTailBytes), 0, maxTailBytes, from);
      const text = safeText(buffer.toString('utf8', 0, bytesRead)).trim();
      return text === '' ? [] : text.split('\n');
    },
    close: (): Promise<void> => file.close(),
  };
}

export type ServerLog = Awaited<ReturnType<typeof openServerLog>>;
