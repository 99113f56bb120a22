// Sentences for TLS connections that were refused. The errors of OpenSSL name functions and lines of its source.

import { systemCodeOf } from '../errors.ts';

/** The code for a request without TLS. */
export const plainHttpCode = 'ERR_SSL_HTTP_REQUEST';

const distrust = 'the client does not trust the certificate of this server';
const oldVersion = 'the client has no TLS 1.2 or newer';
const noTls = 'the client does not speak TLS';

const problems: Readonly<Record<string, string>> = {
  [plainHttpCode]: 'the client sent HTTP without TLS; its address must begin with https://',
  ERR_TLS_HANDSHAKE_TIMEOUT: 'the client did not finish the handshake in time',
  ERR_SSL_UNSUPPORTED_PROTOCOL: oldVersion,
  ERR_SSL_VERSION_TOO_LOW: oldVersion,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_NO_SHARED_CIPHER: 'the client has no cipher that this server accepts',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: distrust,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: distrust,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: distrust,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'the certificate of this server has expired',
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: 'the client has no certificate',
};

interface RefusedConnection {
  /** Why the certificate of the client was refused. */
  readonly authorizationError?: Error | string | null;
}

/** Undefined if the client only closed the connection, as health checks do. */
export function describeHandshakeProblem(
  error: unknown,
  { authorizationError }: RefusedConnection,
): string | undefined {
  if (authorizationError)
    return `the client has no certificate that HEARTH_TLS_CLIENT_CA accepts (${authorizationError})`;
  const code = systemCodeOf(error) ?? '';
  if (['ECONNRESET', 'EPIPE'].includes(code)) return undefined;
  return problems[code] ?? (code || 'unknown');
}
