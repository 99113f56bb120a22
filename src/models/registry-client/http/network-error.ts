// Error messages for network failures.

import { HearthError, messageOf, systemCodeOf } from '../../../base/errors.ts';
import { certificateProblems, withoutTlsCodes } from '../../../base/tls/server-problems.ts';

const noTls = 'no TLS on this port (for a registry without TLS, use --insecure, or "insecure": true in a request)';
const messages: Readonly<Record<string, string>> = {
  ...certificateProblems,
  ...Object.fromEntries(withoutTlsCodes.map((code) => [code, noTls])),
  ENOTFOUND: 'host not found; check its name and the network connection',
  EAI_AGAIN: 'host not found; check its name and the network connection',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed unexpectedly',
  EPIPE: 'connection closed unexpectedly',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable; check the network connection',
  UND_ERR_SOCKET: 'connection closed unexpectedly',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_HEADERS_OVERFLOW: 'response headers too large',
  HPE_INVALID_CONSTANT: 'not an HTTP server',
};

/** Failures that an immediate retry does not fix. */
const permanentCodes: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  ...withoutTlsCodes,
  ...Object.keys(certificateProblems),
]);

/** Returns a HearthError unchanged; any other error gets a message that names the registry's host. */
export function toRegistryError(error: unknown, origin: string): HearthError {
  if (error instanceof HearthError) return error;
  const message = `${new URL(origin).host}: ${describeNetworkError(error)}`;
  return new HearthError('registry_failed', message, { cause: error });
}

/** Why a host was not reached, to be put after a colon. */
export function describeNetworkError(error: unknown): string {
  const code = codeOf(error);
  return (code && messages[code]) ?? messageOf(error);
}

export function isPermanentNetworkError(error: unknown): boolean {
  const code = codeOf(error instanceof HearthError ? error.cause : error);
  return code !== undefined && permanentCodes.has(code);
}

/** The code of the error or of its cause. An AggregateError stands for several addresses of one host. */
function codeOf(error: unknown): string | undefined {
  const own = systemCodeOf(error);
  if (own !== undefined && own !== 'UND_ERR_SOCKET') return own;
  const inner = error instanceof AggregateError ? error.errors[0] : (error as { cause?: unknown } | undefined)?.cause;
  return (inner === undefined ? undefined : systemCodeOf(inner)) ?? own;
}
