// What the service worker does with a request.

export type CacheRule =
  /** The page itself: from the server, otherwise from the cache. */
  | 'page'
  /** A file of the page: from the cache, otherwise from the server. */
  | 'file'
  /** What is needed to read conversations: from the server, otherwise as it was last. */
  | 'data'
  /** Everything else is left to the browser. */
  | 'none';

const readable = ['/api/session', '/api/tags', '/api/ps', '/api/chats'];

export interface CachedRequest {
  readonly method: string;
  readonly url: string;
  readonly mode: string;
}

/** `origin` is that of the page. */
export function cacheRule({ method, url, mode }: CachedRequest, origin: string): CacheRule {
  const { origin: target, pathname, search } = new URL(url);
  if (method !== 'GET' || target !== origin) return 'none';
  if (mode === 'navigate') return pathname === '/' ? 'page' : 'none';
  if (pathname.startsWith('/page/')) return 'file';
  const isData = readable.includes(pathname) || pathname.startsWith('/api/chats/');
  return isData && search === '' ? 'data' : 'none';
}
