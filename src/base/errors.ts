// The closed set of ways in which something can fail. A code says what kind of failure it is; the
// message is the sentence that the caller reads. Status codes belong to http, which must map every code.

export const errorCatalogue = {
  bad_request: 'The request cannot be understood, or contradicts itself.',
  bad_option: 'An entry of `options` has the wrong type.',
  bad_template: 'A prompt template does not parse, or fails while it renders.',
  unsupported: 'The model, or this version of Hearth, cannot do what was asked.',
  forbidden: 'The Origin or Host header is not one that this server answers.',
  path_not_found: 'There is no such path.',
  method_not_allowed: 'The path exists, but not with this method.',
  request_not_found: 'No request of that id is under way.',
  model_not_found: 'No model of that name is in the store.',
  blob_not_found: 'No blob of that digest is in the store.',
  disk_full: 'There is no room left on the disk that the store is on; nothing was changed.',
  store_locked: 'Another server uses the store.',
  store_read_only: 'The store is on a disk that cannot be written to.',
  body_too_large: 'The request body is larger than the server accepts.',
  busy: 'Too many requests are waiting already.',
  shutting_down: 'The server is about to stop and takes no new work.',
  cancelled: 'The caller went away, so the work was given up.',
  load_failed: 'The model could not be loaded.',
  request_failed: 'The engine could not carry out this one request; others are not affected.',
  runner_died: 'The process that held the model ended. The next request loads the model again.',
  store_damaged: 'A file in the store is missing or does not have the expected content.',
  bad_key: 'A key cannot be read, or a signature does not fit it.',
  digest_mismatch: 'What was downloaded is not what its digest says; it has been removed.',
  registry_failed: 'The library could not be reached, or did not do what it was asked for.',
  registry_denied: 'The library does not let this server do that: a key or a password is missing there.',
  registry_invalid_response: 'The library sent something that cannot be true, or that is not allowed.',
  bad_configuration: 'A setting has a value that cannot be used. Only at start.',
  internal: 'A fault of the server itself.',
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

/** Anything thrown, as an error of the catalogue; what is not one of ours becomes `internal`. */
export function toHearthError(thrown: unknown): HearthError {
  if (thrown instanceof HearthError) return thrown;
  return new HearthError('internal', messageOf(thrown), { cause: thrown });
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a system error such as ENOENT, or undefined. */
export function systemCodeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
