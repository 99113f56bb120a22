// `think`: whether a thinking model thinks before it answers, and at which level.

import { HearthError } from '../base/errors.ts';

export type ThinkLevel = 'low' | 'medium' | 'high' | 'max';
export type ThinkOption = boolean | ThinkLevel;

const levels: readonly string[] = ['low', 'medium', 'high', 'max'] satisfies ThinkLevel[];
const choices = '"high", "medium", "low", "max", true, or false';

export function parseThink(value: unknown): ThinkOption {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') throw new HearthError('bad_request', `think must be a boolean or string (${choices})`);
  if (isThinkLevel(value)) return value;
  throw new HearthError('bad_request', `invalid think value: "${value.slice(0, 100)}" (must be ${choices})`);
}

export function isThinkLevel(value: unknown): value is ThinkLevel {
  return typeof value === 'string' && levels.includes(value);
}

/** `true` means the medium level. */
export function thinkLevelOf(option: ThinkOption): ThinkLevel | '' {
  if (typeof option === 'string') return option;
  return option ? 'medium' : '';
}
