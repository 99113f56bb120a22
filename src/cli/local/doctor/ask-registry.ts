// Whether the registry answers, and what time it is there.

import { toClientTls } from '../../../base/config/client-tls.ts';
import type { Environment } from '../../../base/config/load-settings.ts';
import type { Settings } from '../../../base/config/settings.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { parseTimestamp } from '../../../base/time/timestamp.ts';
import { withDeadline } from '../../../models/registry-client/http/deadline.ts';
import { createHttpClient } from '../../../models/registry-client/http/http-client.ts';
import { describeNetworkError } from '../../../models/registry-client/http/network-error.ts';

export interface RegistryAnswer {
  readonly host: string;
  readonly isProxied: boolean;
  /** Of HTTP. Absent: it is not reachable. */
  readonly status?: number;
  /** Milliseconds since the epoch, as the registry says. */
  readonly date?: number;
  readonly failure?: string;
}

export interface RegistryQuestion {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly version: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

// Milliseconds.
const timeLimit = 8000;

/** Any answer will do: registries that ask for a token answer with 401. */
export async function askRegistry(question: RegistryQuestion): Promise<RegistryAnswer> {
  const { settings, environment, version, clock, signal } = question;
  const { registry, httpProxy: http, httpsProxy: https, noProxy: except } = settings;
  const url = new URL('/v2/', /^https?:\/\//.test(registry) ? registry : `https://${registry}`);
  const proxy = { http, https, except };
  const client = createHttpClient({ version, clock, proxy, tls: toClientTls(settings, environment) });
  const known = { host: url.host, isProxied: client.isProxied(url) };
  try {
    const deadline = { clock, milliseconds: timeLimit, signal, what: 'the answer' };
    const response = await withDeadline(deadline, (limited) =>
      client.send({ method: 'GET', url, destination: { kind: 'named', addresses: [] }, signal: limited }),
    );
    response.drop();
    const date = parseTimestamp(response.header('date') ?? '');
    return { ...known, status: response.status, ...(Number.isNaN(date) ? {} : { date }) };
  } catch (error) {
    // The client names the host already.
    return { ...known, failure: describeNetworkError(error).replace(`${url.host}: `, '') };
  } finally {
    // It fails if the connections could not be prepared, which was told.
    await client.close().catch(() => {});
  }
}
