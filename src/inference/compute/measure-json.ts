// The size of a JSON value, without writing it.

/** The characters of its strings and names, and some for each value. */
export function measureJson(value: unknown): number {
  let size = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    size += charactersPerValue;
    if (typeof next === 'string') size += next.length;
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, member] of Object.entries(next)) {
      if (!Array.isArray(next)) size += name.length;
      pending.push(member);
    }
  }
  return size;
}

const charactersPerValue = 4;
