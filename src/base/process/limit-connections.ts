// How many connections a server accepts: some of the file handles that the process may open are for everything else.

import { readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { parseProcessLimits } from './process-limits.ts';

/**
 * Connections that may wait until the server accepts them: as many as Linux allows by default. With Node's 511, the system drops
 * attempts of a crowd, and their clients try again after seconds.
 */
export const backlog = 4096;

interface ConnectionLimits {
  readonly total: number;
  /** How many connections one address may have. Absent: any number. */
  readonly perAddress?: number;
  /** Called for each connection that was closed for lack of room. */
  readonly onRefuse?: () => void;
}

export function limitConnections(server: Server, { total, perAddress = total, onRefuse }: ConnectionLimits): void {
  server.maxConnections = total;
  if (onRefuse) server.on('drop', onRefuse);
  const counts = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const count = counts.get(address) ?? 0;
    if (count >= perAddress) {
      onRefuse?.();
      socket.destroy();
      return;
    }
    counts.set(address, count + 1);
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
  });
}

const reserve = { least: 64, share: 1 / 4, most: 1024 };

/** Leaves handles for files, runners and connections to other servers. `openFiles` is the limit of the process. */
export function connectionsWithin(openFiles: number | undefined): number {
  if (openFiles === undefined) return Number.POSITIVE_INFINITY;
  const kept = Math.min(Math.max(reserve.least, Math.floor(openFiles * reserve.share)), reserve.most);
  return Math.max(openFiles - kept, 1);
}

/** Undefined where the kernel does not tell, that is, on other systems than Linux. */
export function readOpenFileLimit(): number | undefined {
  try {
    return parseProcessLimits(readFileSync('/proc/self/limits', 'latin1')).openFiles;
  } catch {
    return undefined;
  }
}
