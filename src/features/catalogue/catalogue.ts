// The list of models that ships with Hearth, and the search in it.

import { catalogueText } from './catalogue-data.ts';

export interface ModelFamily {
  /** The name that a pull uses, without a tag. */
  readonly name: string;
  readonly title: string;
  readonly license: string;
  /** The trained length in tokens. Absent: unknown. */
  readonly contextLength?: number;
  /** As `hearth show` calls them. */
  readonly capabilities: readonly string[];
  readonly purpose: string;
  /** The smallest first. */
  readonly sizes: readonly ModelSize[];
}

export interface ModelSize {
  /** The full name for a pull. */
  readonly name: string;
  readonly bytes: number;
  /** Absent: unknown. */
  readonly layers?: number;
}

const units: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9 };

function parseCatalogue(text: string): ModelFamily[] {
  return text.trim().split('\n').map(parseRow);
}

function parseRow(row: string): ModelFamily {
  const [name = '', title = '', license = '', context = '', abilities = '', purpose = '', sizes = ''] = row.split('|');
  const given = abilities.split(' ').filter((ability) => ability !== '');
  return {
    name,
    title,
    license,
    contextLength: Number(context),
    capabilities: given.includes('embedding') ? given : ['completion', ...given],
    purpose,
    sizes: sizes.split(' ').map((size) => parseSize(name, size)),
  };
}

function parseSize(family: string, text: string): ModelSize {
  const [, tag, amount, unit = '', layers] = /^([^=]*)=([\d.]+)(MB|GB)(?:\/(\d+))?$/.exec(text) ?? [];
  return {
    name: tag ? `${family}:${tag}` : family,
    bytes: Math.round(Number(amount) * (units[unit] ?? Number.NaN)),
    layers: layers === undefined ? undefined : Number(layers),
  };
}

export const catalogue: readonly ModelFamily[] = parseCatalogue(catalogueText);

/** Families that have all words, those with a word in their name first. Without words, all. */
export function searchCatalogue(query: string, families: readonly ModelFamily[] = catalogue): readonly ModelFamily[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = families.filter((family) => words.every((word) => textOf(family).includes(word)));
  const isNamed = ({ name }: ModelFamily): boolean => words.some((word) => name.includes(word));
  return [...found.filter(isNamed), ...found.filter((family) => !isNamed(family))];
}

function textOf({ name, title, license, capabilities, purpose, sizes }: ModelFamily): string {
  const tags = sizes.map((size) => size.name);
  return [name, title, license, ...capabilities, purpose, ...tags].join(' ').toLowerCase();
}
