// The meaning of a unit file of systemd: sections, and the values of each name in their order.

export type UnitMeaning = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export function parseUnit(text: string): UnitMeaning {
  const sections: Record<string, Record<string, string[]>> = {};
  let section: Record<string, string[]> = {};
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const head = /^\[(\w+)\]$/.exec(line)?.[1];
    if (head !== undefined) {
      section = sections[head] ?? {};
      sections[head] = section;
      continue;
    }
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`not a line of a unit: ${line}`);
    section[name] = [...(section[name] ?? []), value];
  }
  return sections;
}
