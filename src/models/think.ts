// `think`: whether a model that can think before it answers should, and how hard.

import { HearthError } from '../base/errors.ts';

export type ThinkLevel = 'low' | 'medium' | 'high' | 'max';
export type ThinkOption = boolean | ThinkLevel;

const levels: readonly string[] = ['low', 'medium', 'high', 'max'] satisfies ThinkLevel[];
const choices = '"high", "medium", "low", "max", true, or false';

export function parseThink(value: unknown): ThinkOption {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') throw new HearthError('bad_request', `think must be a boolean or string (${choices})`);
  if (levels.includes(value)) return value as ThinkLevel;
  throw new HearthError('bad_request', `invalid think value: "${value.slice(0, 100)}" (must be ${choices})`);
}

/** Thinking without a level is of medium depth. */
export function levelOf(option: ThinkOption): ThinkLevel | '' {
  if (typeof option === 'string') return option;
  return option ? 'medium' : '';
}
