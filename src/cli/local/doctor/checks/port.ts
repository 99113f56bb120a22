// The address of the server: free, or who answers.

import { createServer } from 'node:net';
import { toClientTls } from '../../../../base/config/client-tls.ts';
import { toServerUrl } from '../../../../base/config/server-url.ts';
import { HearthError, messageOf, systemCodeOf } from '../../../../base/errors.ts';
import { toListenError } from '../../../../base/process/listen-error.ts';
import { createClientContext } from '../../../../base/tls/client-context.ts';
import { createClient } from '../../../../client/client.ts';
import { ClientError } from '../../../../client/client-error.ts';
import { type CheckFinding, type DoctorContext, defineCheck, ok, problem, warning } from '../check.ts';

export type PortUser =
  | { readonly kind: 'hearth' | 'ollama'; readonly version: string }
  /** Something else answers. */
  | { readonly kind: 'other'; readonly reason: string }
  | { readonly kind: 'free' }
  /** Nothing answers, and a server could not listen. */
  | { readonly kind: 'blocked'; readonly reason: string }
  /** The address is of another machine, which does not answer. */
  | { readonly kind: 'elsewhere' }
  /** This machine cannot ask: its own certificate is wrong. */
  | { readonly kind: 'unknown'; readonly reason: string };

export interface PortFacts {
  readonly url: string;
  readonly user: PortUser;
  /** Of this command. */
  readonly version: string;
}

// Milliseconds.
const answerTime = 5000;

export const portCheck = defineCheck<PortFacts>({
  name: 'port',
  timeLimit: 15_000,
  async gather(context, signal) {
    const { settings, version } = context;
    const url = toServerUrl(settings.host, { servesTls: settings.tlsCert !== '' });
    return { url, version, user: (await findUser(url, context, signal)) ?? (await tryListening(settings.host)) };
  },
  judge: judgePort,
});

/** Undefined if nothing accepts connections. */
async function findUser(
  url: string,
  { settings, environment, clock }: DoctorContext,
  signal: AbortSignal,
): Promise<PortUser | undefined> {
  const createTlsContext = () => createClientContext(toClientTls(settings, environment), { showsCertificate: true });
  const client = createClient(url, { connectTimeout: answerTime, createTlsContext });
  const expired = new AbortController();
  const timer = clock.after(answerTime, () => expired.abort());
  try {
    const { hearth, version } = (await client.version(AbortSignal.any([signal, expired.signal]))) as {
      readonly hearth?: unknown;
      readonly version?: unknown;
    };
    if (typeof hearth === 'string') return { kind: 'hearth', version: hearth };
    return typeof version === 'string'
      ? { kind: 'ollama', version }
      : { kind: 'other', reason: 'it has no version of Ollama' };
  } catch (error) {
    if (!(error instanceof ClientError)) return { kind: 'unknown', reason: messageOf(error) };
    if (error.kind === 'unreachable') return undefined;
    return { kind: 'other', reason: expired.signal.aborted ? 'it does not answer' : error.message };
  } finally {
    timer.cancel();
    client.close();
  }
}

async function tryListening({ host, port }: { readonly host: string; readonly port: number }): Promise<PortUser> {
  const server = createServer();
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

const otherAddress = 'stop that program, or choose another address with HEARTH_HOST';

export function judgePort({ url, user, version }: PortFacts): CheckFinding[] {
  switch (user.kind) {
    case 'hearth':
      return user.version === version
        ? [ok(`Hearth ${version} answers at ${url}`)]
        : [warning(`Hearth ${user.version} answers at ${url}, but this command is ${version}`, 'restart the server')];
    case 'ollama':
      return [
        warning(
          `Ollama ${user.version} answers at ${url}, or a program like it; \`hearth serve\` cannot listen`,
          otherAddress,
        ),
      ];
    case 'other':
      return [problem(`another program answers at ${url}: ${user.reason}`, otherAddress)];
    case 'free':
      return [ok(`${url} is free; no server is running`)];
    case 'blocked':
      return [problem(`no server can listen at ${url}: ${user.reason}`, 'choose another address with HEARTH_HOST')];
    case 'unknown':
      return [warning(`the server at ${url} cannot be asked: ${user.reason}`, 'see the line tls')];
    case 'elsewhere':
      return [warning(`no server answers at ${url}`, 'start the server there, or correct HEARTH_HOST')];
  }
}
