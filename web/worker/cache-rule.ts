// What the service worker keeps, and what it does with a request.

/** The last conversations, and what is needed to read them. */
export const dataCache = 'data';

/** Browsers have caches only for pages with TLS or on the same machine. */
export async function forgetData(): Promise<void> {
  if ('caches' in globalThis) await caches.delete(dataCache);
}

type CacheRule =
  /** The page itself: from the server, otherwise from the cache. */
  | 'page'
  /** A file of the page: from the cache, otherwise from the server. */
  | 'file'
  /** What is needed to read conversations: from the server, otherwise as it was last. */
  | 'data'
  /** Everything else is left to the browser. */
  | 'none';

/** What the page reads when it opens. */
export const readable = ['/api/session', '/api/tags', '/api/ps', '/api/chats'];

/** `origin` is that of the page. */
export function cacheRule({ method, url, mode }: Record<'method' | 'url' | 'mode', string>, origin: string): CacheRule {
  const { origin: target, pathname, search } = new URL(url);
  if (method !== 'GET' || target !== origin) return 'none';
  if (mode === 'navigate') return pathname === '/' ? 'page' : 'none';
  if (pathname.startsWith('/page/')) return 'file';
  const isData = readable.includes(pathname) || pathname.startsWith('/api/chats/');
  return isData && search === '' ? 'data' : 'none';
}
