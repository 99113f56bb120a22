// Sign-in with the provider of the settings: what browsers are sent away with, and what counts when they come back.

import { type ErrorCode, HearthError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-values.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { Provider, ProviderAnswer, ProviderOptions, SignInSecrets, Undecided } from './provider/provider.ts';
import { ProviderError } from './provider/provider-error.ts';
import { type Identity, readIdentity } from './read-identity.ts';
import type { Sealer } from './sealer.ts';
import type { UserRecord } from './users/user-record.ts';
import type { UserStore } from './users/user-store.ts';

interface SignInOptions {
  readonly rules: Parameters<typeof readIdentity>[1];
  readonly provider: ProviderOptions;
  readonly publicUrl: string;
  readonly users: UserStore;
  /** Seals what browsers and commands keep: all servers that may finish a sign-in have the same one. */
  readonly openSealer: () => Promise<Sealer>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface BegunSignIn extends SignInSecrets {
  readonly returnTo: string;
  readonly expiresAt: number;
}

interface BegunDevice {
  readonly deviceCode: string;
  readonly expiresAt: number;
}

type Confirmed = Parameters<UserStore['signIn']>[0];

export const signInSeconds = 600;
const cookieContext = 'sign-in';
const deviceContext = 'device';
/** Each waits for the provider. Users behind a proxy have one address. */
const maxExchanges = { ofAll: 32, ofClient: 8 };

export class SignIn {
  readonly #options: SignInOptions;
  readonly #running = new Map<string, number>();
  #provider: Promise<Provider> | undefined;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  get users(): UserStore {
    return this.#options.users;
  }

  get publicUrl(): string {
    return this.#options.publicUrl;
  }

  /** `cookie` is for the browser that begins, and opens nothing without the code of the provider. */
  async begin(returnTo: unknown): Promise<{ readonly url: string; readonly cookie: string }> {
    const { clock, publicUrl } = this.#options;
    const { url, secrets } = await (await this.#load()).begin();
    const begun: BegunSignIn = {
      ...secrets,
      returnTo: toReturnPath(returnTo, publicUrl),
      expiresAt: clock.now() + signInSeconds * 1000,
    };
    const sealer = await this.#options.openSealer();
    return { url, cookie: sealer.seal(JSON.stringify(begun), cookieContext) };
  }

  /** `search` is the query of the provider. Throws a ProviderError, `missing_scope` or `busy`. */
  async finish(
    search: string,
    cookie: string | undefined,
    client: string,
  ): Promise<{ user: UserRecord; returnTo: string }> {
    const sealer = await this.#options.openSealer();
    const opened = cookie === undefined ? undefined : sealer.open(cookie, cookieContext);
    const begun = opened === undefined ? undefined : (parseJson(opened) as BegunSignIn);
    if (begun === undefined || begun.expiresAt <= this.#options.clock.now())
      throw new ProviderError('failed', 'this browser has not begun to sign in, or too long ago');
    const end = this.#take(client);
    try {
      const answer = await (await this.#load()).finish(search, begun);
      return { user: await this.users.signIn(this.#judge(answer)), returnTo: begun.returnTo };
    } finally {
      end();
    }
  }

  /** For a command on a machine that may have no browser. `token` is what `finishDevice` needs; the server keeps nothing. */
  async beginDevice(client: string) {
    const end = this.#take(client);
    try {
      const { deviceCode, ...shown } = await (await this.#load()).beginDevice();
      const expiresAt = this.#options.clock.now() + shown.expiresInSeconds * 1000;
      const sealer = await this.#options.openSealer();
      return { ...shown, token: sealer.seal(JSON.stringify({ deviceCode, expiresAt }), deviceContext) };
    } finally {
      end();
    }
  }

  /** Throws a ProviderError, `missing_scope` or `busy`. */
  async finishDevice(token: string, client: string): Promise<UserRecord | Undecided> {
    const opened = (await this.#options.openSealer()).open(token, deviceContext);
    const begun = opened === undefined ? undefined : (parseJson(opened) as BegunDevice);
    if (begun === undefined || begun.expiresAt <= this.#options.clock.now())
      throw new ProviderError('refused', 'the sign-in has not begun here, or too long ago');
    const end = this.#take(client);
    try {
      const answer = await (await this.#load()).finishDevice(begun.deviceCode);
      return typeof answer === 'string' ? answer : await this.users.signIn(this.#judge(answer));
    } finally {
      end();
    }
  }

  /** Asks the provider about a user again. Throws a ProviderError. */
  async refresh({ id, subject }: UserRecord): Promise<void> {
    const token = this.users.tokenOf(id);
    if (token === undefined) return;
    const confirmed = await this.#confirm(id, token, subject);
    await (confirmed === undefined ? this.users.end(id, token) : this.users.confirm(id, token, confirmed));
  }

  /** Where a user also signs out of the provider. */
  async signOutUrl(): Promise<string | undefined> {
    return (await this.#load()).signOutUrl().catch(() => undefined);
  }

  /** Undefined if the provider refuses the user. */
  async #confirm(id: string, token: string, subject: string): Promise<Confirmed | undefined> {
    try {
      return this.#judge(await (await this.#load()).refresh(token, subject));
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind !== 'refused') throw error;
      this.#options.logger.info('a user has lost access', { user: id, reason: error.message });
      return undefined;
    }
  }

  /** openid-client is large, and most servers have no provider. */
  #load(): Promise<Provider> {
    this.#provider ??= import('./provider/provider.ts').then(({ Provider }) => new Provider(this.#options.provider));
    return this.#provider;
  }

  #judge({ claims, refreshToken }: ProviderAnswer): Confirmed {
    const identity = readIdentity(claims, this.#options.rules);
    if (identity === undefined) throw new ProviderError('failed', 'the claims are not usable');
    if (!hasScope(identity)) throw new ProviderError('refused', 'no rule of HEARTH_OIDC_USERS matches');
    return { identity, refreshToken };
  }

  #take(client: string): () => void {
    const own = this.#running.get(client) ?? 0;
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    if (own >= maxExchanges.ofClient || all >= maxExchanges.ofAll)
      throw new HearthError('busy', 'too many users are signing in; try again later');
    this.#running.set(client, own + 1);
    return () => {
      const left = (this.#running.get(client) ?? 1) - 1;
      if (left === 0) this.#running.delete(client);
      else this.#running.set(client, left);
    };
  }
}

/** For routes that exist without a provider, too. */
export function configured(signIn: SignIn | undefined): SignIn {
  if (signIn === undefined)
    throw new HearthError('path_not_found', 'this server has no OpenID Connect provider: HEARTH_OIDC_ISSUER names one');
  return signIn;
}

function hasScope(identity: Identity): identity is Confirmed['identity'] {
  return identity.scope !== undefined;
}

const maxReturnCharacters = 1000;

/** A path of this server, whatever a link says. */
export function toReturnPath(value: unknown, publicUrl: string): string {
  if (typeof value !== 'string' || value.length > maxReturnCharacters || !/^\/(?![/\\])[\x21-\x7e]*$/.test(value))
    return '/';
  const url = URL.canParse(value, publicUrl) ? new URL(value, publicUrl) : undefined;
  // Only the page has addresses for people.
  return url?.origin === publicUrl && url.pathname === '/' ? `/${url.hash}` : '/';
}

/** What the page is told in its address. */
type SignInProblem = 'refused' | 'failed' | 'unavailable';

export function judgeFailure(error: unknown): { readonly problem: SignInProblem; readonly code: ErrorCode } {
  if (error instanceof ProviderError)
    return { problem: error.kind, code: error.kind === 'unavailable' ? 'remote_failed' : 'unauthorized' };
  if (!(error instanceof HearthError)) return { problem: 'failed', code: 'internal' };
  return { problem: error.code === 'missing_scope' ? 'refused' : 'unavailable', code: error.code };
}
