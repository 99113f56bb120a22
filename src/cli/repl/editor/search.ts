// Ctrl-R: a search through the history, backwards, with every key.

import type { Key } from './keys.ts';

export interface Search {
  readonly query: string;
  /** Where the search began; it looks at entries before that. */
  readonly from: number;
  /** The entry that is shown; undefined: none yet, or none that fits. */
  readonly found?: number;
}

export interface SearchStep {
  /** The search goes on. */
  readonly search?: Search;
  /** It ended, and this entry is taken over. */
  readonly place?: number;
  /** The key that ended it has its usual meaning too. */
  readonly again?: boolean;
}

export const beginSearch = (from: number): Search => ({ query: '', from });

export function pressInSearch(search: Search, key: Key, history: readonly string[]): SearchStep {
  if (key.type !== 'press') return { search: look(search.query + key.text, search.from, history) };
  switch (key.name) {
    case 'ctrl-r':
      return { search: { ...search, ...look(search.query, search.found ?? search.from, history), from: search.from } };
    case 'backspace':
      return { search: look([...search.query].slice(0, -1).join(''), search.from, history) };
    case 'ctrl-c':
    case 'ctrl-g':
    case 'escape':
      return {};
    case 'enter':
      return { ...taken(search), again: true };
    default:
      return { ...taken(search), again: !['tab', 'ctrl-j'].includes(key.name) };
  }
}

const taken = ({ found }: Search): SearchStep => (found === undefined ? {} : { place: found });

function look(query: string, from: number, history: readonly string[]): Search {
  const wanted = query.toLowerCase();
  const found =
    query === '' ? -1 : history.findLastIndex((entry, index) => index < from && entry.toLowerCase().includes(wanted));
  return found === -1 ? { query, from } : { query, from, found };
}
