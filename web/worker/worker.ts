// The service worker: the page opens, and the last conversations can be read, while the server does not answer.

import { cacheRule, dataCache, readable } from './cache-rule.ts';

/** Written by the build: the files of the page, and a hash of them. */
declare const shellFiles: readonly string[];
declare const shellHash: string;

interface LifetimeEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface RequestEvent extends LifetimeEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface WorkerScope {
  readonly location: Location;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
}

const scope = globalThis as unknown as WorkerScope;
const shellCache = `shell-${shellHash}`;
const maxDataEntries = 60;
/** Tells the page that the server did not answer. */
const cachedHeader = 'x-hearth-cached';

const listen = <Kind extends Event>(type: string, listener: (event: Kind) => void): void =>
  addEventListener(type, (event) => listener(event as Kind));

listen<LifetimeEvent>('install', (event) => event.waitUntil(install()));
listen<LifetimeEvent>('activate', (event) => event.waitUntil(activate()));
listen<RequestEvent>('fetch', (event) => {
  const { request } = event;
  const rule = cacheRule(request, scope.location.origin);
  if (rule === 'page') event.respondWith(fetch(request).catch(() => fromCache('/')));
  if (rule === 'file') event.respondWith(find(request).then((cached) => cached ?? fetch(request)));
  if (rule === 'data') event.respondWith(readData(request));
});

async function install(): Promise<void> {
  const cache = await caches.open(shellCache);
  // Other clients get a text at this address.
  const page = await fetch('/', { headers: { accept: 'text/html' } });
  if (!page.ok) throw new Error('the page is not available');
  await Promise.all([cache.put('/', page), cache.addAll(shellFiles)]);
  await scope.skipWaiting();
}

/** Removes the files of earlier versions, and keeps what the first visit has read before there was a worker. */
async function activate(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name !== shellCache && name !== dataCache).map((name) => caches.delete(name)),
  );
  await Promise.allSettled(readable.map((path) => readData(new Request(path))));
  await scope.clients.claim();
}

async function readData(request: Request): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(request);
  } catch {
    return fromCache(request);
  }
  // The key is not valid any more: the next user of the browser must not read the conversations.
  if (response.status === 401) await caches.delete(dataCache);
  if (response.ok) await keep(request, response.clone());
  return response;
}

async function keep(request: Request, response: Response): Promise<void> {
  const cache = await caches.open(dataCache);
  // An entry that is written again becomes the newest.
  await cache.delete(request);
  await cache.put(request, response);
  const keys = await cache.keys();
  const surplus = keys.filter(({ url }) => url.includes('/api/chats/')).slice(0, -maxDataEntries);
  await Promise.all(surplus.map((key) => cache.delete(key)));
}

/** Files were requested with other headers when they were kept. */
function find(request: Request | string): Promise<Response | undefined> {
  return caches.match(request, { ignoreVary: true });
}

async function fromCache(request: Request | string): Promise<Response> {
  const cached = await find(request);
  const headers = new Headers(cached?.headers);
  headers.set(cachedHeader, '1');
  if (cached !== undefined) return new Response(cached.body, { status: cached.status, headers });
  return Response.json({ code: 'unreachable' }, { status: 503, headers });
}
