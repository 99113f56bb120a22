// Sentences for a server that cannot listen.

import { HearthError, systemCodeOf } from '../errors.ts';

interface ListenAttempt {
  readonly host: string;
  readonly port: number;
  /** How to choose another address, such as `--host`. */
  readonly choose: string;
}

/** Returns errors that have nothing to do with the address unchanged. */
export function toListenError(error: unknown, { host, port, choose }: ListenAttempt): unknown {
  const reason = reasonOf(systemCodeOf(error), host, port);
  if (reason === undefined) return error;
  return new HearthError('bad_configuration', `${reason}, or choose another address with ${choose}.`, { cause: error });
}

function reasonOf(code: string | undefined, host: string, port: number): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `${host}:${port} is in use by another server. Stop it`;
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine. Use 127.0.0.1 for this machine only, 0.0.0.0 for all interfaces`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host ${host} was not found. Check the name`;
    case 'EACCES':
      return `no permission to listen on ${host}:${port}. Use a port above 1023`;
    default:
      return undefined;
  }
}
