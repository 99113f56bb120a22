// Downloads the file of a package directly, so that an interrupted download continues where it ended: pip and npm start again.
// Their credentials and proxies do not apply. If the file cannot be had without them, the program downloads it.

import { type FileHandle, open, stat } from 'node:fs/promises';
import { HearthError, requestCanceled, systemCodeOf } from '../../base/errors.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import type { Clock } from '../../base/time/clock.ts';

interface DirectDownload {
  readonly url: string;
  /** The file. What it contains is the beginning of the download. */
  readonly path: string;
  /** For messages. */
  readonly package: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProgress: (completed: number, total: number) => void;
}

// Connections that broke in a row without any data.
const maxFailures = 3;
// Milliseconds without data.
const stallTimeout = 60_000;

/** False if nothing can be downloaded without the program. Throws if connections break; what has arrived stays in the file. */
export async function downloadDirectly(download: DirectDownload): Promise<boolean> {
  let hasBegun = false;
  for (let failures = 0; ; ) {
    const before = await sizeOf(download.path);
    const outcome = await receive(download, before);
    if (outcome === 'complete') return true;
    if (download.signal.aborted) throw requestCanceled();
    const received = (await sizeOf(download.path)) - before;
    hasBegun ||= received > 0;
    // Another source may have the file.
    if (outcome === 'refused' || (outcome === 'failed' && !hasBegun && before === 0)) return false;
    failures = received > 0 ? 0 : failures + 1;
    if (failures === maxFailures)
      throw new HearthError(
        'registry_failed',
        `${download.package}: the download was interrupted. Try again: it continues where it ended`,
      );
  }
}

type Outcome = 'complete' | 'failed' | 'refused';

async function receive(download: DirectDownload, start: number): Promise<Outcome> {
  const { url, path, clock, signal, onProgress } = download;
  const stall = new AbortController();
  const arm = () => clock.after(stallTimeout, () => stall.abort());
  let timer = arm();
  let file: FileHandle | undefined;
  try {
    const response = await fetch(url, {
      // A compressed response would have another length.
      headers: { 'accept-encoding': 'identity', ...(start > 0 ? { range: `bytes=${start}-` } : {}) },
      signal: AbortSignal.any([signal, stall.signal]),
    });
    if (isComplete(response, start)) return 'complete';
    const part = readPart(response, start);
    if (part === undefined || response.body === null) {
      await response.body?.cancel();
      return 'refused';
    }
    file = await open(path, part.offset === 0 ? 'w' : 'a', 0o600);
    let completed = part.offset;
    for await (const chunk of response.body) {
      timer.cancel();
      timer = arm();
      completed += chunk.length;
      // A response of any length would fill the disk.
      if (completed > part.total) return 'refused';
      await file.writeFile(chunk);
      onProgress(completed, part.total);
    }
    return completed === part.total ? 'complete' : 'failed';
  } catch (error) {
    if (systemCodeOf(error) === undefined) return 'failed';
    // Not of the connection, whose errors are the causes of others.
    throw new HearthError('disk_full', `${download.package}: ${describeSystemError(error)}`, { cause: error });
  } finally {
    timer.cancel();
    await file?.close();
  }
}

/** The process ended after the last byte, before the file had its name. */
function isComplete({ status, headers }: Response, start: number): boolean {
  return status === 416 && start > 0 && headers.get('content-range') === `bytes */${start}`;
}

/** What the response contains. Undefined if it is not the file or the rest of it, or if its length is unknown. */
function readPart({ status, headers }: Response, start: number): { offset: number; total: number } | undefined {
  if (status === 200) {
    const total = Number(headers.get('content-length') ?? Number.NaN);
    return Number.isSafeInteger(total) ? { offset: 0, total } : undefined;
  }
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
  if (status !== 206 || Number(from) !== start) return undefined;
  return { offset: start, total: Number(total) };
}

async function sizeOf(path: string): Promise<number> {
  const info = await stat(path).catch(() => undefined);
  return info?.size ?? 0;
}
