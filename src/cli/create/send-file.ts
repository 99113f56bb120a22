// Uploads a file to the server as a blob, unless the server already has it.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type Digest, parseDigest } from '../../base/digest.ts';
import type { HearthClient } from '../../client/client.ts';
import { safeLine } from '../output/format.ts';
import type { ProgressDisplay } from '../progress/show-progress.ts';

export interface SendFileContext {
  readonly client: HearthClient;
  readonly progress: ProgressDisplay;
  readonly signal: AbortSignal;
}

interface FileToSend {
  readonly path: string;
  readonly bytes: number;
}

export async function sendFile(file: FileToSend, { client, progress, signal }: SendFileContext): Promise<Digest> {
  const nameDigest = digestInName(file.path);
  // `show --modelfile` prints paths of blobs; their digest is in the name and does not have to be computed.
  if (nameDigest !== undefined && (await client.hasBlob(nameDigest, signal))) return nameDigest;
  const label = safeLine(basename(file.path));
  const reportProgress = (verb: string) => (completed: number) =>
    progress.update({
      status: verb,
      digest: `${verb} ${file.path}`,
      total: file.bytes,
      completed,
      label: `${verb} ${label}`,
    });

  const hash = createHash('sha256');
  for await (const chunk of readFile(file, signal, reportProgress('reading'))) hash.update(chunk);
  const digest = parseDigest(`sha256:${hash.digest('hex')}`);
  if (await client.hasBlob(digest, signal)) return digest;
  const source = readFile(file, signal, reportProgress('uploading'));
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
