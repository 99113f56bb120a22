// Folders with the same parent that import each other, directly or in a ring. Imports count at any depth below them.
// A feature adds commands to the command line and routes to the server, so that src/features and its neighbors would form
// a ring: there, only the table in ARCHITECTURE.md counts.

const crossing = 'src/features';

/** One sentence for each ring. `imports` are `{ from, to }`, paths of files. */
export function findRings(imports) {
  const examples = new Map();
  for (const { from, to } of imports) {
    const pair = siblingsOf(from, to);
    if (pair === undefined || pair.includes(crossing)) continue;
    if (!examples.has(pair.join(' '))) examples.set(pair.join(' '), { pair, from, to });
  }
  const arrows = [...examples.values()];
  return ringsAmong(arrows.map(({ pair }) => pair)).map((ring) => {
    const inside = arrows.filter(({ pair }) => pair.every((folder) => ring.includes(folder)));
    const lines = inside.map(({ from, to }) => `\n  ${from} imports ${to}`).sort();
    return `${ring.join(', ')} import each other:${lines.join('')}`;
  });
}

/** The two folders, below the same parent, that the two files are in; undefined if one has the other's folder around it. */
function siblingsOf(from, to) {
  const [a, b] = [from, to].map((path) => path.split('/').slice(0, -1));
  const depth = a.findIndex((name, index) => name !== b[index]);
  if (depth === -1 || b.length <= depth) return undefined;
  return [a, b].map((names) => names.slice(0, depth + 1).join('/'));
}

/** Sorted names of each group that reaches itself over the arrows `[from, to]`. */
export function ringsAmong(pairs) {
  const targets = new Map();
  for (const [from, to] of withoutEnds(pairs)) targets.set(from, [...(targets.get(from) ?? []), to]);
  const reached = new Map([...targets.keys()].map((folder) => [folder, reachableFrom(folder, targets)]));
  const rings = new Map();
  for (const [folder, others] of reached) {
    if (!others.has(folder)) continue;
    const ring = [...others].filter((other) => reached.get(other)?.has(folder)).sort();
    rings.set(ring.join(' '), ring);
  }
  return [...rings.values()];
}

/** Without arrows to what has no arrow itself, again and again: most of a tree is in no ring. */
function withoutEnds(pairs) {
  const sources = new Set(pairs.map(([from]) => from));
  const rest = pairs.filter(([, to]) => sources.has(to));
  return rest.length === pairs.length ? rest : withoutEnds(rest);
}

function reachableFrom(start, targets) {
  const seen = new Set();
  const open = [...(targets.get(start) ?? [])];
  for (const folder of open) {
    if (seen.has(folder)) continue;
    seen.add(folder);
    open.push(...(targets.get(folder) ?? []));
  }
  return seen;
}
