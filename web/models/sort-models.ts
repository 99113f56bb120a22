// The order of the list of models, and which of them it shows.

import type { ModelEntry } from '../api/models.ts';
import { shownName } from '../ui/format.ts';

export interface ModelRow extends ModelEntry {
  /** A time in RFC 3339; absent if it is not known. */
  readonly lastUsed?: string;
}

/** `times` is by name. A use before the model was created or changed was that of another one with its name. */
export function withLastUse(model: ModelEntry, times: ReadonlyMap<string, string>): ModelRow {
  const time = times.get(model.name);
  const isOfOther = time !== undefined && Date.parse(time) < Date.parse(model.modifiedAt);
  return { ...model, lastUsed: isOfOther ? undefined : time };
}

export type SortKey = 'name' | 'size' | 'quantization' | 'used';

export interface SortOrder {
  readonly key: SortKey;
  readonly descending: boolean;
}

const compare: Readonly<Record<SortKey, (a: ModelRow, b: ModelRow) => number>> = {
  name: byName,
  size: (a, b) => a.sizeBytes - b.sizeBytes,
  quantization: (a, b) => a.quantization.localeCompare(b.quantization),
  used: (a, b) => timeOf(a) - timeOf(b),
};

function byName(a: ModelRow, b: ModelRow): number {
  return shownName(a.name).localeCompare(shownName(b.name));
}

/** Models that were never used are older than all others. */
function timeOf({ lastUsed }: ModelRow): number {
  return lastUsed === undefined ? 0 : Date.parse(lastUsed);
}

export function sortModels(models: readonly ModelRow[], { key, descending }: SortOrder): ModelRow[] {
  const direction = descending ? -1 : 1;
  return models.toSorted((a, b) => direction * compare[key](a, b) || byName(a, b));
}

/** The order after a click on the heading of a column: the other direction, or the usual one of another column. */
export function nextOrder(current: SortOrder, key: SortKey): SortOrder {
  if (current.key === key) return { key, descending: !current.descending };
  return { key, descending: key === 'size' || key === 'used' };
}

/** An empty capability means any. */
export function filterModels(
  models: readonly ModelRow[],
  { query, capability }: Record<'query' | 'capability', string>,
): ModelRow[] {
  const words = query.toLowerCase().split(/\s+/);
  return models.filter(({ name, quantization, parameterSize, capabilities }) => {
    const text = `${name} ${quantization} ${parameterSize}`.toLowerCase();
    return words.every((word) => text.includes(word)) && (capability === '' || capabilities.includes(capability));
  });
}
