// The parameters and the metadata of a model as rows of a table.

export type Row = readonly [name: string, value: string];

/** `text` is the form of Modelfiles: a name and a value on each line. */
export function parameterRows(text: string): Row[] {
  return text.split('\n').flatMap((line): Row[] => {
    const [, name, value] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
}

// Characters. A chat template is shown elsewhere.
const maxValue = 300;

/** Arrays that the server left out are null. */
export function metadataRows(metadata: Readonly<Record<string, unknown>>): Row[] {
  return Object.entries(metadata)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [name, text.length > maxValue ? `${text.slice(0, maxValue)}…` : text];
    });
}
