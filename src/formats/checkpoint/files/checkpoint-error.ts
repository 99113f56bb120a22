// Errors of conversions. The caller chose the files, so all of them are errors in the request.

import { HearthError } from '../../../base/errors.ts';

export function unusable(what: string): HearthError {
  return new HearthError('bad_request', `the model cannot be converted: ${what}`);
}
