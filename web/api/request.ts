// Requests to the server that the page came from.

import { signal } from '@preact/signals';
import { ApiError, toApiError } from './api-error.ts';

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Sent as JSON, except for a file. */
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** Whether the last request needed a key that the page does not have. */
export const isKeyMissing = signal(false);

/** Whether the last request reached the server. The service worker answers some of them without it. */
export const isOnline = signal(true);
const cachedHeader = 'x-hearth-cached';

/** Throws an ApiError unless the status is one of success. */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const response = await reach(path, options);
  isOnline.value = !response.headers.has(cachedHeader);
  if (response.ok) return response;
  if (response.status === 401) isKeyMissing.value = true;
  throw toApiError(await response.json().catch(() => undefined), response.status);
}

export async function requestJson<Body>(path: string, options: RequestOptions = {}): Promise<Body> {
  return (await (await request(path, options)).json()) as Body;
}

async function reach(path: string, { method = 'GET', body, signal: abort }: RequestOptions): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
      ...(abort === undefined ? {} : { signal: abort }),
    });
  } catch (error) {
    if (abort?.aborted) throw error;
    isOnline.value = false;
    throw new ApiError('The server does not answer. Is it running?', { status: 0, code: 'unreachable' });
  }
}
