// Label values for models. Each name is a time series for as long as the server runs, so their number is limited.

const maxLabels = 200;

/** Returns the name itself, or "other" for new names past the limit. */
export function createModelLabel(limit = maxLabels): (model: string) => string {
  const known = new Set<string>();
  return (model) => {
    if (known.has(model)) return model;
    if (known.size >= limit) return 'other';
    known.add(model);
    return model;
  };
}
