// Reads values of unknown JSON.

import { isObject } from '../../../base/json-values.ts';

export type ConfigObject = Readonly<Record<string, unknown>>;

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The objects of an array; empty for any other value. */
export function objectsOf(value: unknown): ConfigObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** An unsigned integer of 32 bits. */
export function isUint32(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}
