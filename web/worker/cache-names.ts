// The caches of the service worker.

/** The last conversations, and what is needed to read them. */
export const dataCache = 'data';

export function shellCacheOf(hash: string): string {
  return `shell-${hash}`;
}

/** Browsers have caches only for pages with TLS or of the same machine. */
export async function forgetData(): Promise<void> {
  if ('caches' in globalThis) await caches.delete(dataCache);
}
