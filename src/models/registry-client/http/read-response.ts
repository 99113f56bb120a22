// Reads short responses, in particular errors, into memory.

import { HearthError } from '../../../base/errors.ts';
import type { RegistryResponse } from './http-client.ts';
import { maxErrorBody, maxShownError } from './limits.ts';
import { registryFailure } from './retry.ts';

/** Throws `registry_invalid_response` for a body longer than `limit`. */
export async function readBoundedBody(response: RegistryResponse, limit: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.byteLength;
    if (length > limit) {
      const message = `${response.url.host} sent ${what} of more than ${limit} bytes: refused`;
      throw new HearthError('registry_invalid_response', message);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const transientStatuses: ReadonlySet<number> = new Set([408, 421, 425, 429]);

interface ErrorContext {
  /** The beginning of the message. */
  readonly what: string;
  /** The registry's own origin. */
  readonly origin: string;
}

/** The error for an unexpected status. */
export async function toResponseError(
  response: RegistryResponse,
  { what, origin }: ErrorContext,
): Promise<HearthError> {
  const { status } = response;
  const text = `${what}: ${await describeErrorResponse(response, origin)}`;
  if (status === 401 || status === 403) return new HearthError('registry_denied', text);
  const seconds = Number(response.header('retry-after') ?? 0);
  const retryAfter = Number.isFinite(seconds) ? seconds * 1000 : 0;
  return registryFailure(text, { final: status < 500 && !transientStatuses.has(status), retryAfter });
}

/**
 * `<status>: <message>`, with the message of the registry, shortened. The text of another host is not quoted: a registry
 * must not make the server read it for a caller.
 */
export async function describeErrorResponse(response: RegistryResponse, origin: string): Promise<string> {
  if (response.url.origin !== new URL(origin).origin) {
    response.drop();
    return `${response.url.host} answered with status ${response.status}`;
  }
  const text = await readBoundedBody(response, maxErrorBody, 'an error')
    .then((body) => body.toString('utf8'))
    .catch(() => '');
  return `${response.status}: ${shorten(extractMessage(text))}`;
}

/** Registries send `{"errors": [{"code", "message"}]}`; other servers `{"error"}` or a page. */
function extractMessage(text: string): string {
  try {
    const { errors, error } = JSON.parse(text) as { errors?: { code?: string; message?: string }[]; error?: unknown };
    const [first] = Array.isArray(errors) ? errors : [];
    const message = first?.message ?? first?.code ?? (typeof error === 'string' ? error : undefined);
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}

function shorten(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they would reach a terminal
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return line.length > maxShownError ? `${line.slice(0, maxShownError)}…` : line;
}
