// A server with keys and sign-in, a provider, and browsers that go back and forth between them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { createLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { keysServer } from '../../src/features/keys/server.ts';
import { dialectTable } from '../../src/server/compose/dialect-table.ts';
import { RequestTable } from '../../src/server/http/requests.ts';
import { createHttpServer } from '../../src/server/http/server.ts';
import { loadSettings } from '../../src/settings/load-settings.ts';
import { createFakeClock } from './fake-clock.ts';
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';

export interface SignInFixture {
  readonly app: FastifyInstance;
  readonly provider: OpenIdProvider;
  readonly publicUrl: string;
  /** Where the files of keys and users are. */
  readonly folder: string;
  readonly log: readonly string[];
  /** Whether links of this user work. */
  hasAccess(id: string): boolean | undefined;
  /** Time passes for the server, not for the provider. */
  advance(milliseconds: number): void;
  /** Ends the server and starts it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function startSignIn(environment: Readonly<Record<string, string>> = {}): Promise<SignInFixture> {
  const publicUrl = environment['HEARTH_PUBLIC_URL'] ?? 'https://hearth.example';
  const folder = mkdtempSync(join(tmpdir(), 'hearth-sign-in-'));
  const provider = await startOpenIdProvider(publicUrl);
  const time = createFakeClock(Date.now());
  // Refusals are delayed by less than a second.
  const after: typeof time.after = (milliseconds, callback) =>
    milliseconds < 1000 ? systemClock.after(0, callback) : time.after(milliseconds, callback);
  const clock = { ...time, after };
  const log: string[] = [];
  const logger = createLogger({ clock, level: 'debug', write: (line) => log.push(line) });
  const settings = loadSettings({
    environment: {
      HEARTH_CONFIG: '/dev/null',
      HEARTH_KEYS_FILE: join(folder, 'keys.json'),
      HEARTH_PUBLIC_URL: publicUrl,
      HEARTH_OIDC_ISSUER: provider.issuer,
      HEARTH_OIDC_CLIENT_ID: provider.clientId,
      HEARTH_OIDC_CLIENT_SECRET: provider.clientSecret,
      ...environment,
    },
    flags: {},
  });
  const open = () => {
    const feature = keysServer.open({ settings, clock, logger } as unknown as Parameters<typeof keysServer.open>[0]);
    const { access } = feature;
    const requests = new RequestTable({ clock, logger, identify: access?.identify, watchKey: access?.watchKey });
    const app = createHttpServer({
      routes: feature.routes,
      dialects: dialectTable,
      requests,
      maxBodyBytes: 10_000,
      isAllowedOrigin: () => false,
      access,
      clock,
      logger,
    });
    feature.start?.();
    return { feature, app };
  };
  let running = open();
  const stop = async (): Promise<void> => {
    running.feature.stop?.();
    await running.app.close();
    await running.feature.close?.();
  };
  return {
    get app() {
      return running.app;
    },
    provider,
    publicUrl,
    folder,
    log,
    hasAccess: (id) => running.feature.hasAccess?.(id),
    advance: time.advance,
    async restart() {
      await stop();
      running = open();
    },
    async close() {
      await stop();
      await provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type Visited = Pick<SignInFixture, 'provider' | 'publicUrl'> & { readonly app: Pick<FastifyInstance, 'inject'> };

/** Cookies of one person, for the server and for the provider. */
export class Visitor {
  readonly #fixture: Visited;
  readonly #cookies = { server: new Map<string, string>(), provider: new Map<string, string>() };

  constructor(fixture: Visited) {
    this.#fixture = fixture;
  }

  /** A request of the page. */
  async send(method: Method, url: string, body?: object): Promise<LightMyRequestResponse> {
    const headers = { host: 'hearth.example', 'sec-fetch-site': 'same-origin' };
    return this.#inject(method, url, headers, body);
  }

  /** A person follows a link, or the browser a redirect. */
  async visit(url: string): Promise<LightMyRequestResponse> {
    return this.#inject('GET', url, { host: 'hearth.example', 'sec-fetch-site': 'cross-site' });
  }

  /** Where the provider sends the browser back to. */
  async goToProvider(url: string): Promise<string> {
    for (let next = url; ; ) {
      const headers = { cookie: formatCookies(this.#cookies.provider) };
      const response = await fetch(next, { headers, redirect: 'manual' });
      keepCookies(this.#cookies.provider, response.headers.getSetCookie());
      const location = response.headers.get('location');
      if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
      next = new URL(location, next).href;
      if (next.startsWith(`${this.#fixture.publicUrl}/`)) return next.slice(this.#fixture.publicUrl.length);
    }
  }

  /** The response of the server to who came back. */
  async signIn(name: string, path = '/api/sign-in'): Promise<LightMyRequestResponse> {
    this.#fixture.provider.visitor = name;
    const begun = await this.visit(path);
    return this.visit(await this.goToProvider(String(begun.headers.location)));
  }

  async #inject(method: Method, url: string, headers: Record<string, string>, body?: object) {
    const cookie = formatCookies(this.#cookies.server);
    const response = await this.#fixture.app.inject({ method, url, headers: { ...headers, cookie }, payload: body });
    keepCookies(this.#cookies.server, [response.headers['set-cookie'] ?? []].flat());
    return response;
  }
}

function formatCookies(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

function keepCookies(cookies: Map<string, string>, headers: readonly string[]): void {
  for (const header of headers) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
}
