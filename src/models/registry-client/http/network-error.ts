// What went wrong on the way to a library, in sentences.

import { HearthError, messageOf, systemCodeOf } from '../../../base/errors.ts';

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up; is this machine connected?',
  ECONNREFUSED: 'nothing answers there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached; is this machine connected?',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  UND_ERR_HEADERS_OVERFLOW: 'its answer has headers without end',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak https (for a library of your own, ask with insecure)',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak https (for a library of your own, ask with insecure)',
  EPROTO: 'it does not speak https (for a library of your own, ask with insecure)',
  HPE_INVALID_CONSTANT: 'it does not speak HTTP',
};

/** Failures that will be the same a second later. */
const hopeless: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'EPROTO',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Already an error of ours, or one with a sentence about that library. */
export function toRegistryError(error: unknown, origin: string): HearthError {
  if (error instanceof HearthError) return error;
  const code = codeOf(error);
  const reason = (code && sentences[code]) ?? messageOf(error);
  return new HearthError('registry_failed', `${new URL(origin).host}: ${reason}`, { cause: error });
}

export function isPermanentNetworkError(error: unknown): boolean {
  const code = codeOf(error instanceof HearthError ? error.cause : error);
  return code !== undefined && hopeless.has(code);
}

/** Of the error, or of what it was made of: several addresses of one host fail together. */
function codeOf(error: unknown): string | undefined {
  const own = systemCodeOf(error);
  if (own !== undefined && own !== 'UND_ERR_SOCKET') return own;
  const inner = error instanceof AggregateError ? error.errors[0] : (error as { cause?: unknown } | undefined)?.cause;
  return (inner === undefined ? undefined : systemCodeOf(inner)) ?? own;
}
