// Errors of calls to the server.

import { type ErrorCode, errorCatalogue } from '../base/errors.ts';
import { serverNameOf } from '../base/net/socket-path.ts';

type ClientErrorKind =
  /** No server accepts connections at the address. */
  | 'unreachable'
  /** The program at the address is not a server of this API. */
  | 'foreign'
  /** The server reports an error: as a response with a status, or as the last line of a stream. */
  | 'refused'
  /** The response is not valid, or it ended too early. */
  | 'broken'
  /** The caller canceled the call. */
  | 'cancelled';

interface ClientErrorDetails {
  readonly status?: number;
  readonly code?: ErrorCode | undefined;
  readonly cause?: unknown;
}

export class ClientError extends Error {
  readonly kind: ClientErrorKind;
  /** A `refused` call has it, unless the error is in a stream. */
  readonly status: number | undefined;
  /** A `refused` call has it, unless the server sends no codes, as Ollama does not. */
  readonly code: ErrorCode | undefined;

  constructor(kind: ClientErrorKind, message: string, details: ClientErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : {});
    this.name = 'ClientError';
    this.kind = kind;
    this.status = details.status;
    this.code = details.code;
  }
}

/** `answer`: what the program at the address has answered. */
export function foreignProgram(url: string, answer: string): ClientError {
  return new ClientError('foreign', `${serverNameOf(url)} is not Hearth or Ollama (it ${answer})`);
}

export function isCancelled(thrown: unknown): boolean {
  return thrown instanceof ClientError && thrown.kind === 'cancelled';
}

/** A code from the wire. Codes of newer servers count as absent. */
export function parseErrorCode(code: unknown): ErrorCode | undefined {
  return typeof code === 'string' && Object.hasOwn(errorCatalogue, code) ? (code as ErrorCode) : undefined;
}
