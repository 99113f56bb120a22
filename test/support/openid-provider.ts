// A real OpenID Connect provider in this process. People there sign in with one click, or at once.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** Claims of the people, by subject. Tests change them. */
type People = Map<string, Readonly<Record<string, unknown>>>;

export interface OpenIdProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly people: People;
  /** Who signs in without a click; undefined: the provider asks. */
  visitor: string | undefined;
  /** Requests so far, by path. */
  readonly requests: Map<string, number>;
  /** Answers everything with 503. */
  isDown: boolean;
  /** Replaces answers, by path. */
  readonly scripted: Map<
    string,
    { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  >;
  close(): Promise<void>;
}

export async function startOpenIdProvider(publicUrl: string): Promise<OpenIdProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people: People = new Map();
  const client = { id: 'hearth', secret: randomBytes(32).toString('base64url') };
  const state: OpenIdProvider = {
    issuer,
    clientId: client.id,
    clientSecret: client.secret,
    people,
    visitor: undefined,
    requests: new Map(),
    isDown: false,
    scripted: new Map(),
    close: () => close(server),
  };
  const provider = new Provider(issuer, configure(client, state, publicUrl));
  addSignInPage(provider, state);
  const handle = provider.callback();
  server.on('request', (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    state.requests.set(path, (state.requests.get(path) ?? 0) + 1);
    const { status, headers, body } = state.scripted.get(path) ?? { status: state.isDown ? 503 : 0 };
    if (status === 0) handle(request, response);
    else response.writeHead(status, headers).end(body);
  });
  return state;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

function configure(
  client: { readonly id: string; readonly secret: string },
  { people }: OpenIdProvider,
  publicUrl: string,
) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [`${publicUrl}/api/sign-in/callback`],
        post_logout_redirect_uris: [`${publicUrl}/`],
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        id_token_signed_response_alg: 'ES256' as const,
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false }, deviceFlow: { enabled: true } },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/person/${uid}` },
    ttl: { Interaction: 600, Grant: 3600, Session: 3600, AccessToken: 3600, RefreshToken: 3600, IdToken: 3600 },
    issueRefreshToken: async () => true,
    findAccount: async (_: unknown, sub: string) => {
      const claims = people.get(sub);
      return claims && { accountId: sub, claims: async () => ({ sub, ...claims }) };
    },
    // Nobody is asked for consent.
    async loadExistingGrant({ oidc }: GrantContext) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid profile email offline_access');
      await grant.save();
      return grant;
    },
  };
}

interface GrantContext {
  readonly oidc: {
    readonly provider: Provider;
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
}

function addSignInPage(provider: Provider, state: OpenIdProvider): void {
  provider.use(async (context, next) => {
    const { path, method, req, res } = context;
    if (!path.startsWith('/person/')) return next();
    const chosen = method === 'POST' ? context.querystring : state.visitor;
    if (chosen === undefined) {
      context.type = 'html';
      context.body = [...state.people.keys()]
        .map((name) => `<form method="post" action="${path}?${name}"><button>I am ${name}</button></form>`)
        .join('');
      return undefined;
    }
    await provider.interactionFinished(req, res, { login: { accountId: chosen } });
    context.respond = false;
    return undefined;
  });
}
