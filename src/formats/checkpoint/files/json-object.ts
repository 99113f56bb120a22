// Reads values of unknown JSON.

export type ConfigObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is ConfigObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object, or an empty one. */
export function asObject(value: unknown): ConfigObject {
  return isObject(value) ? value : {};
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The objects of an array; empty for any other value. */
export function objectsOf(value: unknown): ConfigObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** An unsigned integer of 32 bits. */
export function isUint32(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}
