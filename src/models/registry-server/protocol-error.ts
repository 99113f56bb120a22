// How a library says no: the codes of the distribution protocol, each with its status, in the shape that its clients read.

import { HearthError, messageOf } from '../../base/errors.ts';

export const protocolErrorStatus = {
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

export type ProtocolErrorCode = keyof typeof protocolErrorStatus;

interface ProtocolErrorDetails {
  readonly code: ProtocolErrorCode;
  readonly headers: Readonly<Record<string, string>>;
}

/** An error to throw. */
export function protocolError(
  code: ProtocolErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HearthError & { readonly refusal: ProtocolErrorDetails } {
  return Object.assign(new HearthError('bad_request', message), { refusal: { code, headers } });
}

export interface ProtocolErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly errors: readonly { readonly code: ProtocolErrorCode; readonly message: string }[] };
  /** Of the library itself, and for its log. */
  readonly isFault: boolean;
}

export function toProtocolErrorResponse(thrown: unknown): ProtocolErrorResponse {
  if (isProtocolError(thrown)) {
    const { code, headers } = thrown.refusal;
    return answer(code, thrown.message, { headers });
  }
  const code = thrown instanceof HearthError ? thrown.code : undefined;
  // What the disk says has paths in it, which are nobody's business out there.
  if (code === 'disk_full')
    return answer('UNAVAILABLE', 'the disk of this library is full', { status: 507, isFault: true });
  if (code === 'store_read_only') return answer('UNAVAILABLE', 'this library cannot be written to', { isFault: true });
  if (code === 'cancelled') return answer('BLOB_UPLOAD_INVALID', messageOf(thrown), { status: 409 });
  const status = (thrown as { statusCode?: unknown }).statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500)
    return answer('UNSUPPORTED', messageOf(thrown), { status });
  return answer('UNKNOWN', 'the library failed; its log says why', { isFault: true });
}

function isProtocolError(thrown: unknown): thrown is ReturnType<typeof protocolError> {
  return thrown instanceof HearthError && 'refusal' in thrown;
}

function answer(
  code: ProtocolErrorCode,
  message: string,
  { status = protocolErrorStatus[code], headers = {}, isFault = false }: Partial<Omit<ProtocolErrorResponse, 'body'>>,
): ProtocolErrorResponse {
  return { status, headers, isFault, body: { errors: [{ code, message }] } };
}
