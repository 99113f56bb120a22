// An error of a request, with the sentence of the server.

export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0: there was no answer. */
  readonly status: number;
  /** Of the server's catalog of errors. */
  readonly code: string;

  constructor(message: string, { status, code }: { readonly status: number; readonly code: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface ErrorBody {
  readonly error?: unknown;
  readonly code?: unknown;
}

/** `body` is what the server sent: its errors are objects with `error` and `code`. */
export function toApiError(body: unknown, status: number): ApiError {
  const { error, code } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  const message = typeof error === 'string' ? error : `The server answered with status ${status}.`;
  return new ApiError(message, { status, code: typeof code === 'string' ? code : 'unknown' });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
