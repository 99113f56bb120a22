// `think`: whether a thinking model thinks before it answers, and at which level.

import { HearthError } from '../base/errors.ts';

/** A level is one that every server knows, or one that the model defines. */
export type ThinkOption = boolean | string;

const commonLevels: readonly string[] = ['high', 'medium', 'low', 'max'];
const booleans = 'true, or false';
/** A word that a model could define. */
const word = /^[a-z][\w-]{0,31}$/i;

/** Any word may be a level of the model: `checkThinkLevel`. */
export function parseThink(value: unknown): ThinkOption {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string')
    throw new HearthError('bad_request', `think must be a boolean or string (${listed(commonLevels)}, ${booleans})`);
  if (!word.test(value)) checkThinkLevel(value, []);
  return value;
}

/** Throws if neither every server nor the model has this level. */
export function checkThinkLevel(level: string, levels: readonly string[]): void {
  const known = [...new Set([...commonLevels, ...levels])];
  if (known.includes(level)) return;
  const choices = `${listed(known)}, ${booleans}`;
  throw new HearthError('bad_request', `invalid think value: "${level.slice(0, 100)}" (must be ${choices})`);
}

export function isThinkLevel(value: unknown): value is string {
  return typeof value === 'string' && commonLevels.includes(value);
}

/** `true` means the medium level. */
export function thinkLevelOf(option: ThinkOption): string {
  if (typeof option === 'string') return option;
  return option ? 'medium' : '';
}

function listed(levels: readonly string[]): string {
  return levels.map((level) => `"${level}"`).join(', ');
}
