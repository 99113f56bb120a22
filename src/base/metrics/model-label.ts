// The models that metrics tell apart. Each name is a time series for as long as the server runs, so there are only so many.

const most = 200;

/** Names as they are, up to the limit; whatever comes after is one. */
export function createModelLabel(limit = most): (model: string) => string {
  const known = new Set<string>();
  return (model) => {
    if (known.has(model)) return model;
    if (known.size >= limit) return 'other';
    known.add(model);
    return model;
  };
}
