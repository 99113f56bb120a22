// Label values that come from users. Each is a time series for as long as the server runs, so their number is limited.

/** Returns the name itself, or "other" for new names past the limit. */
export function createBoundedLabel(limit: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= limit) return 'other';
    known.add(name);
    return name;
  };
}
