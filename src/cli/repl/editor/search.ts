// Ctrl-R: incremental backward search in the history.

import type { Key } from './keys.ts';

export interface Search {
  readonly query: string;
  /** The entry at which the search started; only earlier entries are searched. */
  readonly from: number;
  /** The matching entry; undefined: no match. */
  readonly found?: number;
}

interface SearchStep {
  /** The search continues. */
  readonly search?: Search;
  /** The search ended with this entry. */
  readonly entry?: number;
  /** The editor must also handle the key that ended the search. */
  readonly handleKey?: boolean;
}

export const beginSearch = (from: number): Search => ({ query: '', from });

export function pressInSearch(search: Search, key: Key, history: readonly string[]): SearchStep {
  if (key.type !== 'press') return { search: findEntry(search.query + key.text, search.from, history) };
  switch (key.name) {
    case 'ctrl-r':
      return {
        search: { ...search, ...findEntry(search.query, search.found ?? search.from, history), from: search.from },
      };
    case 'backspace':
      return { search: findEntry([...search.query].slice(0, -1).join(''), search.from, history) };
    case 'ctrl-c':
    case 'ctrl-g':
    case 'escape':
      return {};
    case 'enter':
      return { ...accepted(search), handleKey: true };
    default:
      return { ...accepted(search), handleKey: !['tab', 'ctrl-j'].includes(key.name) };
  }
}

const accepted = ({ found }: Search): SearchStep => (found === undefined ? {} : { entry: found });

function findEntry(query: string, from: number, history: readonly string[]): Search {
  const lowerQuery = query.toLowerCase();
  const found =
    query === ''
      ? -1
      : history.findLastIndex((entry, index) => index < from && entry.toLowerCase().includes(lowerQuery));
  return found === -1 ? { query, from } : { query, from, found };
}
