// HTTP status of each error code. A code without a status does not compile.

import type { ErrorCode } from '../../base/errors.ts';

export const statusOf: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  // Ollama answers with 500 here, although 400 would fit better.
  bad_option: 500,
  bad_template: 500,
  unsupported: 400,
  prompt_too_long: 400,
  forbidden: 403,
  unauthorized: 401,
  missing_scope: 403,
  rate_limited: 429,
  key_not_found: 404,
  path_not_found: 404,
  method_not_allowed: 405,
  request_not_found: 404,
  response_not_found: 404,
  previous_response_not_found: 404,
  model_not_found: 404,
  blob_not_found: 404,
  disk_full: 507,
  store_locked: 500,
  store_read_only: 500,
  body_too_large: 413,
  request_timeout: 408,
  busy: 503,
  shutting_down: 503,
  // Only a request that is canceled by its id gets it; nginx logs the same number when a client disconnects.
  cancelled: 499,
  load_failed: 500,
  request_failed: 500,
  runner_died: 500,
  store_damaged: 500,
  bad_key: 500,
  digest_mismatch: 502,
  registry_failed: 502,
  registry_denied: 401,
  registry_invalid_response: 502,
  bad_configuration: 500,
  internal: 500,
};
