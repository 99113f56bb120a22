// The effort of reasoning in a request.

import { HearthError } from '../../../base/errors.ts';
import type { ThinkOption } from '../../../models/think.ts';

const efforts: Readonly<Record<string, ThinkOption>> = {
  none: false,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
  ultra: 'max',
  max: 'max',
};

/** Undefined: the model decides. */
export function readEffort(effort: string | undefined): ThinkOption | undefined {
  if (effort === undefined) return undefined;
  const known = Object.hasOwn(efforts, effort) ? efforts[effort] : undefined;
  if (known !== undefined) return known;
  const choices = '"minimal", "low", "medium", "high", "xhigh", "ultra", "max", or "none"';
  throw new HearthError('bad_request', `invalid reasoning value: "${effort.slice(0, 100)}" (must be ${choices})`);
}
