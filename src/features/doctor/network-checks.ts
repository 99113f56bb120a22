// The address of the server, proxies, the registry, and the clock, which is compared with that of the registry.

import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { toClientTls } from '../../base/config/client-tls.ts';
import { toServerUrl } from '../../base/config/server-url.ts';
import { HearthError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { findSocketUser, listenOnSocket } from '../../base/net/unix-socket.ts';
import { toListenError } from '../../base/process/listen-error.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { createClientContext } from '../../base/tls/client-context.ts';
import { formatSpan } from '../../cli/output/format.ts';
import { createClient } from '../../client/client.ts';
import { ClientError } from '../../client/client-error.ts';
import { describeNetworkError } from '../../models/registry-client/http/network-error.ts';
import {
  type Check,
  type CheckContext,
  type CheckFinding,
  ok,
  problem,
  type RegistryAnswer,
  warning,
} from '../check.ts';

export const networkChecks: readonly Check[] = [
  {
    name: 'port',
    timeLimitMs: 15_000,
    async run(context, signal) {
      const { settings, version } = context;
      const url = toServerUrl(settings.host, { servesTls: settings.tlsCert !== '' });
      const user = (await findUser(url, context, signal)) ?? (await tryListening(settings.host));
      return [judgePort({ url, version, user })];
    },
  },
  {
    name: 'proxies',
    async run({ settings: { httpProxy, httpsProxy, noProxy } }, signal) {
      const given = [httpsProxy, httpProxy].filter((address) => address !== '');
      // The origin has no user name and no password.
      const addresses = [...new Set(given.map((text) => new URL(text).origin))];
      const asked = addresses.map(async (address) => ({ address, failure: await tryConnecting(address, signal) }));
      return judgeProxies(await Promise.all(asked), noProxy);
    },
  },
  {
    name: 'registry',
    timeLimitMs: 15_000,
    run: async ({ askRegistry }) => [judgeRegistry(await askRegistry())],
  },
  {
    name: 'clock',
    timeLimitMs: 15_000,
    async run({ clock, packageFolder, askRegistry }) {
      const { mtimeMs: installed } = await stat(join(packageFolder, 'package.json'));
      const { date } = await askRegistry();
      return [judgeClock(clock.now(), installed, date)];
    },
  },
];

export type PortUser =
  | { readonly kind: 'hearth' | 'ollama'; readonly version: string }
  /** Something else answers. */
  | { readonly kind: 'other'; readonly reason: string }
  | { readonly kind: 'free' }
  /** Nothing answers, and a server could not listen. */
  | { readonly kind: 'blocked'; readonly reason: string }
  /** A socket that this user may not open. */
  | { readonly kind: 'forbidden' }
  /** The address belongs to another machine, which does not answer. */
  | { readonly kind: 'elsewhere' }
  /** This machine cannot ask: its own certificate is wrong. */
  | { readonly kind: 'unknown'; readonly reason: string };

const answerTimeoutMs = 5000;

/** Undefined if nothing accepts connections. */
async function findUser(
  url: string,
  { settings, environment, clock }: CheckContext,
  signal: AbortSignal,
): Promise<PortUser | undefined> {
  const createTlsContext = () => createClientContext(toClientTls(settings, environment), { showsCertificate: true });
  const client = createClient(url, { connectTimeout: answerTimeoutMs, createTlsContext });
  const expired = new AbortController();
  const timer = clock.after(answerTimeoutMs, () => expired.abort());
  try {
    const { hearth, version } = await client.version(AbortSignal.any([signal, expired.signal]));
    if (typeof hearth === 'string') return { kind: 'hearth', version: hearth };
    return { kind: 'ollama', version };
  } catch (error) {
    if (!(error instanceof ClientError)) return { kind: 'unknown', reason: messageOf(error) };
    if (error.kind === 'unreachable') return undefined;
    if (['EACCES', 'EPERM'].includes(systemCodeOf(error.cause) ?? '')) return { kind: 'forbidden' };
    if (expired.signal.aborted) return { kind: 'other', reason: 'it does not answer' };
    return { kind: 'other', reason: error.message.replace(/^\S+ is not/, 'it is not') };
  } finally {
    timer.cancel();
    client.close();
  }
}

async function tryListening(address: CheckContext['settings']['host']): Promise<PortUser> {
  const server = createServer();
  if ('socket' in address) return trySocket(address.socket, server);
  const { host, port } = address;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
    return { kind: 'free' };
  } catch (error) {
    if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(systemCodeOf(error) ?? '')) return { kind: 'elsewhere' };
    const explained = toListenError(error, { host, port, choose: 'HEARTH_HOST' });
    return { kind: 'blocked', reason: explained instanceof HearthError ? explained.message : messageOf(error) };
  } finally {
    server.close();
  }
}

/** Makes a socket next to the path, which stays as it is. */
async function trySocket(path: string, server: Server): Promise<PortUser> {
  if ((await findSocketUser(path)) === 'other') return { kind: 'blocked', reason: `${path} is not a socket` };
  const listen = async (place: string): Promise<void> => void (await once(server.listen({ path: place }), 'listening'));
  const remove = await listenOnSocket(
    { path: join(dirname(path), `.hearth-doctor-${process.pid}`), mode: 0o600, choose: 'HEARTH_HOST' },
    listen,
  ).catch((error: unknown) => messageOf(error));
  server.close();
  if (typeof remove === 'string') return { kind: 'blocked', reason: remove };
  await remove();
  return { kind: 'free' };
}

interface PortFacts {
  readonly url: string;
  readonly user: PortUser;
  /** This command's version. */
  readonly version: string;
}

const otherAddress = 'stop that program, or choose another address with HEARTH_HOST';

export function judgePort({ url, user, version }: PortFacts): CheckFinding {
  switch (user.kind) {
    case 'hearth':
      if (user.version === version) return ok(`Hearth ${version} answers at ${url}`);
      return warning(`Hearth ${user.version} answers at ${url}, but this command is ${version}`, 'restart the server');
    case 'ollama': {
      const text = `Ollama ${user.version} answers at ${url}, or a program like it; \`hearth serve\` cannot listen`;
      return warning(text, otherAddress);
    }
    case 'other':
      return problem(`another program answers at ${url}: ${user.reason}`, otherAddress);
    case 'free':
      return ok(`${url} is free; no server is running`);
    case 'blocked':
      return problem(`no server can listen at ${url}: ${user.reason}`, 'choose another address with HEARTH_HOST');
    case 'forbidden':
      return problem(`no permission to open ${url}`, 'ask its user for HEARTH_SOCKET_MODE=0660 and its group');
    case 'unknown':
      return warning(`the server at ${url} cannot be asked: ${user.reason}`, 'see the line tls');
    case 'elsewhere':
      return warning(`no server answers at ${url}`, 'start the server there, or correct HEARTH_HOST');
  }
}

const connectTimeoutMs = 3000;

/** Resolves to the reason if the address does not accept connections. */
async function tryConnecting(address: string, signal: AbortSignal): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(address);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    timeout: connectTimeoutMs,
  });
  const destroy = (): void => void socket.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  return new Promise<string | undefined>((resolve) => {
    socket.once('connect', () => resolve(undefined));
    socket.once('timeout', () => resolve('it does not answer'));
    socket.once('error', (error) => resolve(describeNetworkError(error)));
    socket.once('close', () => resolve('the connection was closed'));
  }).finally(() => {
    signal.removeEventListener('abort', destroy);
    socket.destroy();
  });
}

interface ProxyFacts {
  readonly address: string;
  readonly failure?: string;
}

/** `except`: HEARTH_NO_PROXY. */
export function judgeProxies(proxies: readonly ProxyFacts[], except: string): CheckFinding[] {
  if (proxies.length === 0) return [ok('none')];
  const nextStep = 'correct HEARTH_HTTPS_PROXY or HTTPS_PROXY, or add the registry to HEARTH_NO_PROXY';
  return proxies.map(({ address, failure }) =>
    failure === undefined
      ? ok(`${address}${except === '' ? '' : `, except for ${except}`}`)
      : warning(`the proxy ${address} cannot be reached: ${failure}`, nextStep),
  );
}

/** A machine without a network is not a problem: models that are there work. */
export function judgeRegistry({
  host,
  isProxied,
  status,
  failure = 'it does not answer',
}: RegistryAnswer): CheckFinding {
  const through = isProxied ? ' through the proxy' : '';
  const offline = 'models can be used, but not pulled; check the network, the proxy and HEARTH_REGISTRY';
  if (status === undefined) return warning(`${host} cannot be reached${through}: ${failure}`, offline);
  if (status >= 500) return warning(`${host} answers with status ${status}${through}`, 'try again later');
  return ok(`${host} answers${through}`);
}

const clockToleranceMs = 120_000;
const dayMs = 86_400_000;

/** Certificates and the tokens of registries are not accepted if the clock is wrong. All times are since the epoch. */
export function judgeClock(now: number, installed: number, elsewhere: number | undefined): CheckFinding {
  const nextStep = 'set the clock, for example with `timedatectl set-ntp true`';
  const time = formatTimestamp(now);
  const difference = now - (elsewhere ?? now);
  if (Math.abs(difference) > clockToleranceMs) {
    const direction = difference < 0 ? 'slow' : 'fast';
    return warning(`${time} is ${formatSpan(Math.abs(difference)).toLowerCase()} ${direction}`, nextStep);
  }
  if (now < installed - dayMs) return problem(`${time} is before the installation of Hearth`, nextStep);
  return ok(elsewhere === undefined ? `${time}, not compared with another clock` : `${time}, as the registry says`);
}
