// A bounded cache that drops the entry that was used least recently.

export interface LruCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  /** The cached value, or the one that `create` returns, which is then cached. */
  getOrCreate(key: string, create: () => Value): Value;
  delete(key: string): void;
}

interface Entry<Value> {
  readonly key: string;
  value: Value;
  older: Entry<Value> | undefined;
  newer: Entry<Value> | undefined;
}

export function createLruCache<Value>(
  maxEntries: number,
  onDropped: (key: string) => void = () => {},
): LruCache<Value> {
  // The entries are also a linked list in order of use. The map keeps that order, too, but skips the places of all deleted
  // keys whenever its first key is read.
  const entries = new Map<string, Entry<Value>>();
  let oldest: Entry<Value> | undefined;
  let newest: Entry<Value> | undefined;

  function unlink({ older, newer }: Entry<Value>): void {
    if (older) older.newer = newer;
    else oldest = newer;
    if (newer) newer.older = older;
    else newest = older;
  }

  function append(entry: Entry<Value>): void {
    entry.older = newest;
    entry.newer = undefined;
    if (newest) newest.newer = entry;
    else oldest = entry;
    newest = entry;
  }

  function find(key: string): Entry<Value> | undefined {
    const entry = entries.get(key);
    if (entry === undefined || entry === newest) return entry;
    unlink(entry);
    append(entry);
    return entry;
  }

  function remove(entry: Entry<Value> | undefined): void {
    if (entry === undefined) return;
    unlink(entry);
    entries.delete(entry.key);
  }

  function set(key: string, value: Value): void {
    const known = find(key);
    if (known) {
      known.value = value;
      return;
    }
    const entry: Entry<Value> = { key, value, older: undefined, newer: undefined };
    entries.set(key, entry);
    append(entry);
    if (entries.size <= maxEntries || oldest === undefined) return;
    const { key: dropped } = oldest;
    remove(oldest);
    onDropped(dropped);
  }

  return {
    set,
    get: (key) => find(key)?.value,
    getOrCreate(key, create) {
      const known = find(key);
      if (known) return known.value;
      const value = create();
      set(key, value);
      return value;
    },
    delete: (key) => remove(entries.get(key)),
  };
}
