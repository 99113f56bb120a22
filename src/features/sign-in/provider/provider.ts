// The OpenID Connect provider. This is the only user of openid-client, which is loaded with the first sign-in. It checks
// issuer, audience, times, state, nonce, PKCE and signatures; this file chooses what is checked, and names the failures.

import * as openId from 'openid-client';
import { isPrivateTransport } from '../../../base/config/sign-in-kinds.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type { Claims } from '../read-identity.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { ProviderError } from './provider-error.ts';

export interface ProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: a public client. */
  readonly clientSecret?: string;
  readonly scopes: readonly string[];
  readonly redirectUrl: string;
  /** Where users come back to after they have signed out. */
  readonly signedOutUrl: string;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** What a browser must bring back, and what the tokens must contain. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A sign-in on another device (RFC 8628). */
interface DeviceSignIn {
  readonly deviceCode: string;
  /** What people type at `url`. */
  readonly userCode: string;
  readonly url: string;
  readonly urlWithCode?: string;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
}

/** The person has not decided yet; `slow_down`: and the caller asks too often. */
export type Undecided = 'authorization_pending' | 'slow_down';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const deviceDefaults = { expiresInSeconds: 600, intervalSeconds: 5 };

export interface ProviderAnswer {
  readonly claims: Claims;
  readonly refreshToken?: string;
}

const timeoutSeconds = 10;
const metadataAge = 3600 * nanosecondsPerSecond;
const clockToleranceSeconds = 30;

export class Provider {
  readonly #options: ProviderOptions;
  #known: { readonly configuration: Promise<openId.Configuration>; readonly at: number } | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /** The address that the browser is sent to. */
  async begin(): Promise<{ readonly url: string; readonly secrets: SignInSecrets }> {
    const { scopes, redirectUrl } = this.#options;
    const secrets = {
      state: openId.randomState(),
      nonce: openId.randomNonce(),
      verifier: openId.randomPKCECodeVerifier(),
    };
    const url = openId.buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: redirectUrl,
      scope: scopes.join(' '),
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await openId.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
    });
    if (!isPrivateTransport(url)) throw new ProviderError('failed', 'the authorization endpoint has no TLS');
    return { url: url.href, secrets };
  }

  /** `search` is the query that the browser came back with. */
  finish(search: string, { state, nonce, verifier }: SignInSecrets): Promise<ProviderAnswer> {
    return this.#run(async (configuration) => {
      const url = new URL(this.#options.redirectUrl);
      url.search = search;
      const tokens = await openId.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return this.#readTokens(configuration, tokens);
    });
  }

  /** Throws a ProviderError `failed` if the provider has no such sign-in. */
  beginDevice(): Promise<DeviceSignIn> {
    return this.#run(async (configuration) => {
      if (configuration.serverMetadata().device_authorization_endpoint === undefined)
        throw new ProviderError('failed', 'the provider has no device flow');
      const scope = this.#options.scopes.join(' ');
      const begun = await openId.initiateDeviceAuthorization(configuration, { scope });
      return {
        deviceCode: begun.device_code,
        userCode: begun.user_code,
        url: begun.verification_uri,
        urlWithCode: begun.verification_uri_complete,
        expiresInSeconds: begun.expires_in ?? deviceDefaults.expiresInSeconds,
        intervalSeconds: begun.interval ?? deviceDefaults.intervalSeconds,
      };
    });
  }

  /** Asks once, because a waiting caller comes again. */
  finishDevice(deviceCode: string): Promise<ProviderAnswer | Undecided> {
    return this.#run(async (configuration) => {
      try {
        const tokens = await openId.genericGrantRequest(configuration, deviceGrant, { device_code: deviceCode });
        return await this.#readTokens(configuration, tokens);
      } catch (error) {
        const reason = error instanceof openId.ResponseBodyError ? error.error : '';
        if (reason === 'authorization_pending' || reason === 'slow_down') return reason;
        throw error;
      }
    });
  }

  /** Asks again about a user. Roles follow from the new ID token and the user info; what was said before does not count. */
  refresh(refreshToken: string, subject: string): Promise<ProviderAnswer> {
    return this.#run(async (configuration) => {
      const tokens = await openId.refreshTokenGrant(configuration, refreshToken);
      const claims = tokens.claims() ?? { sub: subject };
      if (claims.sub !== subject) throw new ProviderError('refused', 'the token belongs to another user');
      return {
        claims: await this.#withUserInfo(configuration, tokens.access_token, claims),
        // Without rotation, the old one stays valid.
        refreshToken: tokens.refresh_token ?? refreshToken,
      };
    });
  }

  /** Where a user also signs out of the provider; undefined if it has no such address. */
  async signOutUrl(): Promise<string | undefined> {
    const configuration = await this.#configuration();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    const url = openId.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: this.#options.signedOutUrl,
    });
    return isPrivateTransport(url) ? url.href : undefined;
  }

  async #readTokens(configuration: openId.Configuration, tokens: Tokens): Promise<ProviderAnswer> {
    const claims = tokens.claims();
    if (claims === undefined) throw new ProviderError('failed', 'no ID token');
    return {
      claims: await this.#withUserInfo(configuration, tokens.access_token, claims),
      refreshToken: tokens.refresh_token,
    };
  }

  async #withUserInfo(configuration: openId.Configuration, accessToken: string, claims: Claims & { sub: string }) {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await openId.fetchUserInfo(configuration, accessToken, claims.sub)), ...claims };
  }

  async #run<Result>(work: (configuration: openId.Configuration) => Promise<Result>): Promise<Result> {
    const configuration = await this.#configuration();
    return work(configuration).catch((error: unknown) => {
      throw toProviderError(error);
    });
  }

  /** The metadata of the provider. If it cannot be read again, what is known counts. */
  async #configuration(): Promise<openId.Configuration> {
    const now = this.#options.clock.monotonic();
    const before = this.#known;
    if (before !== undefined && now - before.at < metadataAge) return before.configuration;
    const known = { configuration: this.#discover(before?.configuration), at: now };
    this.#known = known;
    known.configuration.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return known.configuration;
  }

  async #discover(before: Promise<openId.Configuration> | undefined): Promise<openId.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const url = new URL(issuer);
    const execute = url.protocol === 'http:' ? [openId.allowInsecureRequests] : [];
    const common = { [openId.customFetch]: boundedFetch as openId.CustomFetch, timeout: timeoutSeconds, execute };
    try {
      const found = await openId.discovery(url, clientId, undefined, openId.None(), common);
      const metadata = found.serverMetadata();
      const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const method = methods.includes('client_secret_basic') ? openId.ClientSecretBasic : openId.ClientSecretPost;
      const authentication = clientSecret === undefined ? openId.None() : method(clientSecret);
      const configuration = new openId.Configuration(
        metadata,
        clientId,
        { [openId.clockTolerance]: clockToleranceSeconds },
        authentication,
      );
      configuration.timeout = timeoutSeconds;
      configuration[openId.customFetch] = boundedFetch as openId.CustomFetch;
      for (const change of execute) change(configuration);
      openId.enableNonRepudiationChecks(configuration);
      return configuration;
    } catch (error) {
      if (before !== undefined) return before;
      throw new ProviderError('unavailable', `its metadata cannot be read: ${describe(error)}`);
    }
  }
}

type Tokens = Awaited<ReturnType<typeof openId.genericGrantRequest>>;

const refusals: readonly string[] = ['invalid_grant', 'access_denied', 'expired_token'];

function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof openId.AuthorizationResponseError) return new ProviderError('refused', describe(error));
  if (error instanceof openId.ResponseBodyError) {
    const kind = refusals.includes(error.error) ? 'refused' : 'failed';
    return new ProviderError(error.status >= 500 ? 'unavailable' : kind, describe(error));
  }
  if (error instanceof openId.WWWAuthenticateChallengeError)
    return new ProviderError(error.status === 401 || error.status === 403 ? 'refused' : 'failed', describe(error));
  const code = (error as { readonly code?: unknown }).code;
  const isOfNetwork = !(error instanceof openId.ClientError) || code === 'OAUTH_TIMEOUT';
  const isOfServer = statusOf(error) >= 500;
  return new ProviderError(isOfNetwork || isOfServer ? 'unavailable' : 'failed', describe(error));
}

function statusOf(error: unknown): number {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof Response ? cause.status : 0;
}

/** For the log: the codes of the error, never what the provider has sent as a whole. */
function describe(error: unknown): string {
  const { code, error: name } = error as { readonly code?: unknown; readonly error?: unknown };
  const parts = [messageOf(error), code, name].filter((part): part is string => typeof part === 'string');
  return parts
    .join(', ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 300);
}
