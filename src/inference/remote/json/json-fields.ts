// Reads fields of JSON objects that a remote sent. Every field may be absent or of another type.

export type WireObject = Readonly<Record<string, unknown>>;

const nothing: WireObject = {};

/** Empty for anything that is not an object. */
export function toObject(value: unknown): WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as WireObject) : nothing;
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A number of tokens, or of nanoseconds. */
export function toCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** Undefined for a text that is not a JSON object. */
export function parseWireObject(text: string): WireObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as WireObject) : undefined;
  } catch {
    return undefined;
  }
}
