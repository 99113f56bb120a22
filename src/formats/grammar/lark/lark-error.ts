// The error for a Lark grammar that cannot become a pattern.

import { HearthError } from '../../../base/errors.ts';

export function larkError(reason: string): HearthError {
  return new HearthError('bad_request', `the Lark grammar ${reason}`);
}
