// The error codes. A code is the kind of an error; the message is a sentence for people. server/http maps codes to HTTP
// statuses.

export const errorCatalogue = {
  bad_request: 'The request is invalid.',
  bad_option: 'A value in `options` has the wrong type.',
  bad_template: 'A prompt template is invalid, or fails for this prompt.',
  unsupported: 'The model or this version of Hearth does not support the request.',
  prompt_too_long: 'The prompt is longer than the context, and the request does not allow shortening it.',
  forbidden: 'The server does not accept the Origin or Host header.',
  unauthorized: 'The server needs a key, and the request carries none that is valid.',
  missing_scope: 'The key does not allow this. The message names the scope or the model.',
  rate_limited: 'The key has used up its requests or tokens. The header retry-after says when to try again.',
  key_not_found: 'No key has this name.',
  path_not_found: 'The path does not exist.',
  method_not_allowed: 'The path does not accept this method.',
  request_not_found: 'No running request has this id, and no answer that is kept.',
  answer_dropped: 'The requested part of a resumable answer is not kept any more.',
  chat_not_found: 'No stored conversation has this id.',
  link_not_found: 'No conversation is shared by this link, or not any more.',
  chat_conflict: 'The stored conversation has another revision than the one that was changed.',
  chats_full: 'The stored conversations have reached a limit. Nothing was changed.',
  file_not_found: 'No uploaded file has this id.',
  collection_not_found: 'No collection has this id.',
  collections_full: 'The collections have reached a limit. Nothing was changed.',
  batch_not_found: 'No batch has this id.',
  files_full: 'The uploaded files or the batches have reached a limit. Nothing was changed.',
  pull_not_found: 'No pull has this id.',
  response_not_found: 'No stored response has this id, or no item of one has it.',
  session_not_found: 'No MCP session has this id, or not any more. A client initializes a new one.',
  previous_response_not_found: 'The response that the request continues is not stored, or not any more.',
  websocket_connection_limit_reached: 'A WebSocket connection was open for 60 minutes. A new one can be opened.',
  model_not_found: 'The model does not exist in the store, or in the registry if it is pulled.',
  cloud_model: "The name is that of a model in Ollama's cloud, which this server does not use.",
  blob_not_found: 'The blob does not exist in the store.',
  disk_full: 'The disk of the store is full. Nothing was changed.',
  store_locked: 'Another server is using the store.',
  store_read_only: 'The store is not writable.',
  body_too_large: 'The request body is larger than the server accepts.',
  request_timeout: 'The client did not finish sending the request.',
  busy: 'Too many requests are waiting.',
  state_unreachable: 'The database with the state that several servers share cannot be reached.',
  shutting_down: 'The server is shutting down and accepts no new requests.',
  cancelled: 'The request was canceled, or the client disconnected.',
  load_failed: 'The model failed to load.',
  request_failed: 'The engine failed to process this request. Other requests are not affected.',
  runner_died: 'The process of the model terminated. The next request loads the model again.',
  store_damaged: 'A file in the store is missing or has the wrong content.',
  bad_key: 'A key is not readable, or a signature is not valid.',
  digest_mismatch: 'Downloaded data does not match its digest, and was removed.',
  registry_failed: 'The registry is not reachable, or reported an error.',
  registry_denied: 'The registry denied access: a key or a password is missing.',
  registry_invalid_response: 'The response of the registry is not valid.',
  remote_not_found: 'No remote has this name.',
  remote_failed: 'A remote is not reachable, does not have the model, or failed.',
  remote_denied: 'A remote denied access: its key is missing or wrong.',
  remote_timeout: 'A remote sent nothing for too long.',
  remote_loop: 'Remotes lead back to a server that has sent the request already, or through too many servers.',
  mcp_not_found: 'No MCP server has this name.',
  mcp_failed: 'An MCP server does not answer, or its tools cannot be listed.',
  bad_configuration: 'A setting has an invalid value. This can only happen at startup.',
  internal: 'An error in Hearth itself.',
} as const;

export type ErrorCode = keyof typeof errorCatalogue;

export class HearthError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'HearthError';
    this.code = code;
  }
}

export function badRequest(message: string): HearthError {
  return new HearthError('bad_request', message);
}

export function badConfiguration(message: string): HearthError {
  return new HearthError('bad_configuration', message);
}

export function requestCanceled(): HearthError {
  return new HearthError('cancelled', 'request canceled');
}

const systemErrors: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  EMFILE: ['busy', 'the server has too many open files; try again later'],
  ENFILE: ['busy', 'the server has too many open files; try again later'],
  ENOSPC: ['disk_full', 'a disk of the server is full; free some space there and try again'],
  EDQUOT: ['disk_full', 'the disk quota of the server is exceeded; free some space there and try again'],
  EROFS: ['store_read_only', 'the server cannot write a file: its disk is read-only'],
  EACCES: ['store_read_only', 'the server has no permission to use one of its files'],
  EPERM: ['store_read_only', 'the server has no permission to use one of its files'],
};

/**
 * Converts anything thrown. Errors of the operating system get a code and a sentence, because their own messages have paths of
 * the server; `cause` has them. Others than HearthError get the code `internal`.
 */
export function toHearthError(thrown: unknown): HearthError {
  if (thrown instanceof HearthError) return thrown;
  const [code, message] = systemErrors[systemCodeOf(thrown) ?? ''] ?? (['internal', describeInternal(thrown)] as const);
  return new HearthError(code, message, { cause: thrown });
}

function describeInternal(thrown: unknown): string {
  const isOfFile = thrown instanceof Error && 'syscall' in thrown && 'path' in thrown;
  return isOfFile ? `a file of the server cannot be used (${systemCodeOf(thrown)})` : messageOf(thrown);
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a system error such as ENOENT, or undefined. */
export function systemCodeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** What the operating system said about the cause. It has paths, and is for the log only. */
export function systemReasonOf({ cause }: HearthError): string | undefined {
  return systemCodeOf(cause) === undefined ? undefined : messageOf(cause);
}
