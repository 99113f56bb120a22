// Requests to the server that the page came from.

import { signal } from '@preact/signals';
import { t } from '../language/language.ts';

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Sent as JSON, except for a file and a form. */
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** An error with the sentence of the server, and its code in the server's catalog of errors. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0: there was no answer. */
  readonly status: number;
  readonly code: string;

  constructor(message: string, { status, code }: { readonly status: number; readonly code: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface ErrorFields {
  readonly error?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
}

/** `body` is what the server sent: its errors are objects with `error` and `code`. Those of OpenAI's API are inside `error`. */
export function toApiError(body: unknown, status: number): ApiError {
  const fields = (body ?? {}) as ErrorFields;
  const isInside = typeof fields.error === 'object' && fields.error !== null;
  const { message: error, code }: ErrorFields = isInside
    ? (fields.error as ErrorFields)
    : { ...fields, message: fields.error };
  if (code === unreachable) return newUnreachable(status);
  const message =
    typeof error === 'string' ? error : t('The server answered with status {status}.', { status: String(status) });
  return new ApiError(message, { status, code: typeof code === 'string' ? code : 'unknown' });
}

/** The code that the service worker answers with, too. */
const unreachable = 'unreachable';

function newUnreachable(status: number): ApiError {
  return new ApiError(t('The server does not answer. Is it running?'), { status, code: unreachable });
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether the last request needed a key that the page does not have. */
export const isKeyMissing = signal(false);
let acceptedKeys = 0;

/** Refusals of requests that were sent before are ignored: they did not have this key. */
export function noteAcceptedKey(): void {
  acceptedKeys++;
  isKeyMissing.value = false;
}

/** Whether the last request reached the server. The service worker answers some of them without it. */
export const isOnline = signal(true);
const cachedHeader = 'x-hearth-cached';

/** Throws an ApiError unless the status is one of success. */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const keysBefore = acceptedKeys;
  const response = await reach(path, options);
  isOnline.value = !response.headers.has(cachedHeader);
  if (response.ok) return response;
  if (response.status === 401 && acceptedKeys === keysBefore) isKeyMissing.value = true;
  throw toApiError(await response.json().catch(() => undefined), response.status);
}

export async function requestJson<Body>(path: string, options: RequestOptions = {}): Promise<Body> {
  return (await (await request(path, options)).json()) as Body;
}

async function reach(path: string, { method = 'GET', body, signal: abort }: RequestOptions): Promise<Response> {
  try {
    const isForm = body instanceof FormData;
    return await fetch(path, {
      method,
      body: body === undefined || body instanceof Blob || isForm ? body : JSON.stringify(body),
      // The browser names the type of a form, with what separates its parts.
      headers: isForm ? {} : { 'content-type': 'application/json' },
      signal: abort,
    });
  } catch (error) {
    if (abort?.aborted) throw error;
    isOnline.value = false;
    throw newUnreachable(0);
  }
}
