// Errors of remotes, in words for the callers of this server. A caller must not mistake a problem between this server and
// a remote, such as a wrong key, for one of its own.

import { type ErrorCode, HearthError, messageOf } from '../../../base/errors.ts';
import type { Outcome } from '../endpoint.ts';
import { parseWireObject } from '../json/json-fields.ts';
import { messageInError } from '../json/message-in-error.ts';

/** An error with what it says about the endpoint. */
export class RemoteError extends HearthError {
  readonly outcome: Outcome;
  /** Set if the connection was closed, as a server may do with one that was idle. */
  readonly isReset: boolean;
  /** The response's status. Undefined: there was no response. */
  readonly status: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    {
      outcome,
      isReset = false,
      status,
      cause,
    }: { outcome: Outcome; isReset?: boolean; status?: number; cause?: unknown },
  ) {
    super(code, message, cause === undefined ? {} : { cause });
    this.outcome = outcome;
    this.isReset = isReset;
    this.status = status;
  }
}

interface StatusRow {
  readonly code: ErrorCode;
  readonly outcome: Outcome;
  /** Completes a sentence that begins with the remote. */
  readonly says: (message: string) => string;
}

const refused = (code: ErrorCode): StatusRow => ({
  code,
  outcome: 'refused',
  says: (message) => `refused the request: ${message}`,
});
const denied: StatusRow = {
  code: 'remote_denied',
  outcome: 'failed',
  says: () => 'denied access: its key is missing or wrong',
};
const busy: StatusRow = { code: 'busy', outcome: 'busy', says: (message) => `is busy: ${message}` };
const failed: StatusRow = { code: 'remote_failed', outcome: 'failed', says: (message) => `failed: ${message}` };
const missing: StatusRow = {
  code: 'remote_failed',
  outcome: 'failed',
  says: (message) => `does not have the model or the path: ${message}`,
};

const statusRows: Readonly<Record<number, StatusRow>> = {
  400: refused('bad_request'),
  401: denied,
  403: denied,
  404: missing,
  405: missing,
  413: refused('body_too_large'),
  422: refused('bad_request'),
  429: busy,
  501: refused('unsupported'),
  503: busy,
  508: refused('remote_loop'),
};

const tooLong =
  /maximum context length|context (?:length|size|window)|longer than the (?:maximum|context)|exceeds? .{0,40}context/i;

/** `text` is the start of the body. */
export function fromStatus(remote: string, status: number, text: string): RemoteError {
  const object = parseWireObject(text);
  const message = object === undefined ? `status ${status}` : messageInError(object);
  // No redirect is followed: the key is for this host alone.
  if (status >= 300 && status < 400)
    return new RemoteError(
      'remote_failed',
      `the remote "${remote}" redirects to another address, which is not followed`,
      { outcome: 'failed', status },
    );
  const { code, outcome, says } = statusRows[status] ?? (status < 500 ? refused('bad_request') : failed);
  const isTooLong = code === 'bad_request' && tooLong.test(message);
  return new RemoteError(isTooLong ? 'prompt_too_long' : code, `the remote "${remote}" ${says(message)}`, {
    outcome,
    status,
  });
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'the connection took too long',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name could not be looked up',
};
const resets: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** An error of the network. */
export function fromNetwork(remote: string, error: unknown): RemoteError {
  if (error instanceof RemoteError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasons[code] ?? messageOf(error);
  return new RemoteError('remote_failed', `the remote "${remote}" cannot be reached: ${reason}`, {
    outcome: 'failed',
    isReset: resets.has(code),
    cause: error,
  });
}

export function timedOut(remote: string, milliseconds: number): RemoteError {
  const message = `the remote "${remote}" sent nothing for ${milliseconds / 1000} seconds`;
  return new RemoteError('remote_timeout', message, { outcome: 'failed' });
}

/** The remote sent something that is not an answer. */
export function brokenAnswer(remote: string, what: string): RemoteError {
  return new RemoteError('remote_failed', `the remote "${remote}" ${what}`, { outcome: 'failed' });
}

/** A file of this machine is missing or wrong. Its path is for administrators: callers get this sentence. */
export function unreadable(remote: string, cause: unknown): RemoteError {
  const message = `the key or the authorities of the remote "${remote}" cannot be read`;
  return new RemoteError('remote_denied', message, { outcome: 'failed', cause });
}
