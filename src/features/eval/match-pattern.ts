// Matches regular expressions of others within a time limit: some patterns need exponential time.

import { runInNewContext } from 'node:vm';
import { HearthError } from '../../base/errors.ts';

const timeoutMs = 1000;

/** Throws for a pattern that is not valid, or that takes too long. */
export function matchPattern(text: string, pattern: string, flags: string): boolean {
  try {
    // A context without prototypes of ours gets only texts, and returns a boolean.
    return runInNewContext('new RegExp(pattern, flags).test(text)', { text, pattern, flags }, { timeout: timeoutMs });
  } catch (error) {
    const isSlow = (error as { readonly code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    const reason = isSlow ? `takes more than ${timeoutMs} ms` : 'is not valid';
    throw new HearthError('bad_request', `the pattern ${JSON.stringify(pattern.slice(0, 100))} ${reason}`);
  }
}
