// Whether the registry answers, and what time it is there.

import { toClientTls } from '../../base/config/client-tls.ts';
import { parseTimestamp } from '../../base/time/timestamp.ts';
import { withDeadline } from '../../models/registry-client/http/deadline.ts';
import { createHttpClient } from '../../models/registry-client/http/http-client.ts';
import { describeNetworkError } from '../../models/registry-client/http/network-error.ts';
import type { CheckContext, RegistryAnswer } from '../check.ts';

const timeoutMs = 8000;

/** Any answer will do: registries that ask for a token answer with 401. */
export async function askRegistry(
  { settings, environment, version, clock }: Pick<CheckContext, 'settings' | 'environment' | 'version' | 'clock'>,
  signal: AbortSignal,
): Promise<RegistryAnswer> {
  const { registry, httpProxy: http, httpsProxy: https, noProxy: except } = settings;
  const url = new URL('/v2/', /^https?:\/\//.test(registry) ? registry : `https://${registry}`);
  const proxy = { http, https, except };
  const client = createHttpClient({ version, clock, proxy, tls: toClientTls(settings, environment) });
  const known = { host: url.host, isProxied: client.isProxied(url) };
  try {
    const deadline = { clock, milliseconds: timeoutMs, signal, what: 'the answer' };
    const response = await withDeadline(deadline, (limited) =>
      client.send({ method: 'GET', url, destination: { kind: 'named', addresses: [] }, signal: limited }),
    );
    response.drop();
    const date = parseTimestamp(response.header('date') ?? '');
    return { ...known, status: response.status, date: Number.isNaN(date) ? undefined : date };
  } catch (error) {
    // The client names the host already.
    return { ...known, failure: describeNetworkError(error).replace(`${url.host}: `, '') };
  } finally {
    // Fails if the connections could not be prepared; that error is in `failure`.
    await client.close().catch(() => {});
  }
}
