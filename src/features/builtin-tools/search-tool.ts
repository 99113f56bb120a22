// The tool `search`: asks a SearXNG that the administrator has named.

import { badRequest } from '../../base/errors.ts';
import { asObject, parseJson } from '../../base/json-values.ts';
import type { BuiltinTool } from './builtin-tool.ts';
import { fetchGuarded, toUrl } from './guarded-fetch.ts';

// The administrator names the address, which may be on this machine. It may not lead elsewhere.
const limits = { maxBytes: 2 ** 20, timeoutMs: 15_000, maxRedirects: 0, reach: 'loopback' } as const;
const maxQueryLength = 500;
const maxResults = 10;
const maxFieldLength = 1000;

export function createSearchTool(searxng: string): BuiltinTool {
  const base = toUrl(searxng.endsWith('/') ? searxng : `${searxng}/`);
  return {
    name: 'search',
    description: 'Searches the web. Returns titles, addresses and short excerpts.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to search for.' },
        page: { type: 'integer', minimum: 1, maximum: 10, description: 'Page of results; default 1.' },
      },
      required: ['query'],
    },
    async call({ query, page }, signal) {
      if (typeof query !== 'string' || query.trim() === '' || query.length > maxQueryLength)
        throw badRequest(`query must have 1 to ${maxQueryLength} characters`);
      const url = new URL('search', base);
      url.searchParams.set('q', query);
      url.searchParams.set('format', 'json');
      if (typeof page === 'number' && page >= 1 && page <= 10) url.searchParams.set('pageno', String(Math.floor(page)));
      const { bytes } = await fetchGuarded(url, signal, { ...limits, accept: 'application/json' });
      return formatResults(bytes.toString('utf8'));
    },
  };
}

function formatResults(text: string): string {
  const { results } = asObject(parseJson(text));
  if (!Array.isArray(results)) throw badRequest('the answer of the search is not in the format of SearXNG');
  const rows = results.slice(0, maxResults).map((result) => {
    const { title, url, content } = asObject(result);
    return [title, url, content]
      .map(toField)
      .filter((field) => field !== '')
      .join('\n');
  });
  return rows.length === 0 ? 'There are no results.' : rows.join('\n\n');
}

function toField(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, maxFieldLength).replace(/\s/g, ' ').trim() : '';
}
