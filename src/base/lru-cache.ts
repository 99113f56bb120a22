// A bounded cache that drops the entry that was used least recently.

export interface LruCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  /** The cached value, or the one that `create` returns, which is then cached. */
  getOrCreate(key: string, create: () => Value): Value;
  delete(key: string): void;
}

export function createLruCache<Value>(maxEntries: number): LruCache<Value> {
  // A map keeps insertion order: the first key is the least recently used one.
  const entries = new Map<string, Value>();

  function set(key: string, value: Value): void {
    entries.delete(key);
    entries.set(key, value);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
  }

  return {
    set,
    get(key) {
      const value = entries.get(key);
      if (entries.has(key)) set(key, value as Value);
      return value;
    },
    getOrCreate(key, create) {
      const value = entries.has(key) ? (entries.get(key) as Value) : create();
      set(key, value);
      return value;
    },
    delete: (key) => void entries.delete(key),
  };
}
