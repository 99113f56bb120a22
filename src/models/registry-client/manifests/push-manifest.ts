// Pushes a manifest: the last step of a push, which publishes the model.

import type { Clock } from '../../../base/time/clock.ts';
import { withDeadline } from '../http/deadline.ts';
import { maxManifestAttempts, responseTimeout } from '../http/limits.ts';
import { toResponseError } from '../http/read-response.ts';
import { retryUntilDone } from '../http/retry.ts';
import type { RegistrySession } from '../session/registry-session.ts';
import { manifestTypes } from './fetch-manifest.ts';

interface PushManifestInput {
  readonly session: RegistrySession;
  readonly tag: string;
  /** Sent unchanged, because their digest is the model's. */
  readonly bytes: Buffer;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export async function pushManifest({ session, tag, bytes, clock, signal }: PushManifestInput): Promise<void> {
  const headers = { 'content-type': mediaTypeOf(bytes), 'content-length': String(bytes.length) };
  const put = async (limited: AbortSignal): Promise<void> => {
    const target = `manifests/${tag}`;
    const response = await session.send({ method: 'PUT', target, headers, body: () => bytes, signal: limited });
    if (response.status < 200 || response.status > 299) {
      const { origin } = session.repository.registry;
      throw await toResponseError(response, { what: new URL(origin).host, origin });
    }
    response.drop();
  };
  await retryUntilDone({ clock, signal, maxAttempts: maxManifestAttempts }, async () => {
    await withDeadline({ clock, milliseconds: responseTimeout, signal, what: 'sending the manifest' }, put);
    return true;
  });
}

function mediaTypeOf(bytes: Buffer): string {
  const { mediaType } = JSON.parse(bytes.toString('utf8')) as { mediaType?: unknown };
  return typeof mediaType === 'string' && /^[\w.+/-]+$/.test(mediaType) ? mediaType : manifestTypes.docker;
}
