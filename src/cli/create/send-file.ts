// Brings a file to the server as a blob, unless it is there already.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type Digest, parseDigest } from '../../base/digest.ts';
import type { HearthClient } from '../../client/client.ts';
import { safeLine } from '../output/format.ts';
import type { ProgressDisplay } from '../progress/show-progress.ts';

export interface SendFile {
  readonly client: HearthClient;
  readonly progress: ProgressDisplay;
  readonly signal: AbortSignal;
}

export interface FileToSend {
  readonly path: string;
  readonly bytes: number;
}

export async function sendFile(file: FileToSend, { client, progress, signal }: SendFile): Promise<Digest> {
  const named = digestInName(file.path);
  // `show --modelfile` names blobs by their paths. Reading gigabytes again to hear the same digest is no use.
  if (named !== undefined && (await client.hasBlob(named, signal))) return named;
  const label = safeLine(basename(file.path));
  const tell = (verb: string) => (completed: number) =>
    progress.update({
      status: verb,
      digest: `${verb} ${file.path}`,
      total: file.bytes,
      completed,
      label: `${verb} ${label}`,
    });

  const hash = createHash('sha256');
  for await (const chunk of readFile(file, signal, tell('reading'))) hash.update(chunk);
  const digest = parseDigest(`sha256:${hash.digest('hex')}`);
  if (await client.hasBlob(digest, signal)) return digest;
  const source = readFile(file, signal, tell('uploading'));
  await client.uploadBlob(digest, { source, bytes: file.bytes }, signal);
  return digest;
}

async function* readFile(
  { path }: FileToSend,
  signal: AbortSignal,
  onBytes: (completed: number) => void,
): AsyncGenerator<Uint8Array> {
  let completed = 0;
  onBytes(completed);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal })) {
    completed += (chunk as Buffer).length;
    onBytes(completed);
    yield chunk as Buffer;
  }
}

function digestInName(path: string): Digest | undefined {
  return /^sha256-[0-9a-f]{64}$/.test(basename(path)) ? parseDigest(basename(path)) : undefined;
}
