// Error codes of the OCI distribution protocol with their status, in the format that its clients expect.

import { HearthError, messageOf } from '../../base/errors.ts';

const protocolErrorStatus = {
  NAME_INVALID: 400,
  NAME_UNKNOWN: 404,
  TAG_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  MANIFEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 400,
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  DIGEST_INVALID: 400,
  SIZE_INVALID: 413,
  RANGE_INVALID: 416,
  PAGINATION_NUMBER_INVALID: 400,
  UNAUTHORIZED: 401,
  DENIED: 403,
  UNSUPPORTED: 405,
  TOOMANYREQUESTS: 429,
  UNAVAILABLE: 503,
  UNKNOWN: 500,
} as const;

type ProtocolErrorCode = keyof typeof protocolErrorStatus;

interface ProtocolErrorDetails {
  readonly code: ProtocolErrorCode;
  readonly headers: Readonly<Record<string, string>>;
}

export function protocolError(
  code: ProtocolErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HearthError & { readonly protocol: ProtocolErrorDetails } {
  return Object.assign(new HearthError('bad_request', message), { protocol: { code, headers } });
}

interface ProtocolErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly errors: readonly { readonly code: ProtocolErrorCode; readonly message: string }[] };
  /** A failure of the registry itself, to be logged. */
  readonly isServerFault: boolean;
}

export function toProtocolErrorResponse(thrown: unknown): ProtocolErrorResponse {
  if (isProtocolError(thrown)) {
    const { code, headers } = thrown.protocol;
    return toResponse(code, thrown.message, { headers });
  }
  const code = thrown instanceof HearthError ? thrown.code : undefined;
  // Disk errors contain paths, which must not be disclosed.
  if (code === 'disk_full')
    return toResponse('UNAVAILABLE', 'the disk of this registry is full', { status: 507, isServerFault: true });
  if (code === 'store_read_only')
    return toResponse('UNAVAILABLE', 'this registry is read-only', { isServerFault: true });
  if (code === 'cancelled') return toResponse('BLOB_UPLOAD_INVALID', messageOf(thrown), { status: 409 });
  const status = (thrown as { statusCode?: unknown }).statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500)
    return toResponse('UNSUPPORTED', messageOf(thrown), { status });
  return toResponse('UNKNOWN', 'internal error; see the log of the registry', { isServerFault: true });
}

function isProtocolError(thrown: unknown): thrown is ReturnType<typeof protocolError> {
  return thrown instanceof HearthError && 'protocol' in thrown;
}

function toResponse(
  code: ProtocolErrorCode,
  message: string,
  {
    status = protocolErrorStatus[code],
    headers = {},
    isServerFault = false,
  }: Partial<Omit<ProtocolErrorResponse, 'body'>>,
): ProtocolErrorResponse {
  return { status, headers, isServerFault, body: { errors: [{ code, message }] } };
}
