// Character references in Markdown texts, such as &amp; and &#8364;.

const names: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  plusmn: '±',
  times: '×',
  divide: '÷',
  middot: '·',
  bull: '•',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  le: '≤',
  ge: '≥',
  ne: '≠',
  euro: '€',
  pound: '£',
};

const lastCodePoint = 0x10ffff;

export function decodeEntities(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{1,10});/gi, (reference, name: string) => {
    if (!name.startsWith('#')) return (Object.hasOwn(names, name) ? names[name] : undefined) ?? reference;
    const isHexadecimal = name.charAt(1).toLowerCase() === 'x';
    const code = Number.parseInt(name.slice(isHexadecimal ? 2 : 1), isHexadecimal ? 16 : 10);
    return code === 0 || code > lastCodePoint ? '\ufffd' : String.fromCodePoint(code);
  });
}
