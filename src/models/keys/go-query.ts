// Query strings as Go's url.Values.Encode writes them: sorted by key, the values of one key in their order, and
// everything but letters, digits and `-_.~` percent-encoded. Signatures cover the text, so it must match byte for byte.

type QueryPairs = readonly (readonly [key: string, value: string])[];

export function encodeGoQuery(pairs: QueryPairs): string {
  // Go compares bytes. The stable sort keeps the values of one key in order.
  const sorted = [...pairs].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return sorted.map(([key, value]) => `${escapeGoQuery(key)}=${escapeGoQuery(value)}`).join('&');
}

function escapeGoQuery(text: string): string {
  // Encoding to UTF-8 and back turns lone surrogates into U+FFFD, as in Go.
  return encodeURIComponent(Buffer.from(text).toString())
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}
