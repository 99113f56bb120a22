// How a call of the server can fail, as those who call it need to tell apart.

export type ClientErrorKind =
  /** Nobody answers at the address. */
  | 'unreachable'
  /** The server says no, with a status or as the last line of a stream. */
  | 'refused'
  /** What came is not what a server of this kind sends, or it ended too early. */
  | 'broken'
  /** The caller changed its mind. */
  | 'cancelled';

export class ClientError extends Error {
  readonly kind: ClientErrorKind;
  /** Of a refusal that came before anything else. */
  readonly status: number | undefined;

  constructor(kind: ClientErrorKind, message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.name = 'ClientError';
    this.kind = kind;
    this.status = options.status;
  }
}

export function isCancelled(thrown: unknown): boolean {
  return thrown instanceof ClientError && thrown.kind === 'cancelled';
}
