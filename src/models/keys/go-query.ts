// Query strings the way Go's url.Values.Encode writes them: sorted by key, the values of one key in their order, and
// percent signs for all but letters, digits and four marks. Signatures cover the text, so that every byte counts.

export type QueryPairs = readonly (readonly [key: string, value: string])[];

export function encodeGoQuery(pairs: QueryPairs): string {
  // Go compares bytes. Sorting is stable, which keeps the values of one key in order.
  const sorted = [...pairs].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return sorted.map(([key, value]) => `${escapeGoQuery(key)}=${escapeGoQuery(value)}`).join('&');
}

export function escapeGoQuery(text: string): string {
  // Through bytes and back: half a surrogate pair becomes the mark for what cannot be read, as it does in Go.
  return encodeURIComponent(Buffer.from(text).toString())
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}
