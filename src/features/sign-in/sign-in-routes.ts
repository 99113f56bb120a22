// GET /api/sign-in and GET /api/sign-in/callback: browsers go to the provider and come back. Neither returns JSON: people
// see what they answer.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import { configured, judgeFailure, type SignIn, signInSeconds } from './sign-in.ts';
import type { UserRecord } from './users/user-record.ts';

interface SignInRoutesOptions {
  /** Absent: no provider is configured. */
  readonly signIn?: SignIn;
  /** Opens a session of the web page. Returns the Set-Cookie header. */
  readonly openSession: (user: UserRecord, options: { readonly secure: boolean }) => Promise<string>;
  readonly logger: Logger;
}

export const signInPath = '/api/sign-in';
export const callbackPath = `${signInPath}/callback`;

export function signInRoutes({ signIn, openSession, logger }: SignInRoutesOptions): Route[] {
  const common = { dialect: ollamaDialect, scope: 'open', tag: 'Server', method: 'GET' } as const;
  return [
    {
      ...common,
      path: signInPath,
      summary: 'Sign in: send the browser to the OpenID Connect provider',
      query: { return_to: Type.String({ description: 'Where the page continues, such as /#/models.' }) },
      failures: { 404: 'The server has no provider.' },
      async handle({ query, report }, reply) {
        const access = configured(signIn);
        const { publicUrl } = access;
        try {
          const { url, cookie } = await access.begin((query as { readonly return_to?: unknown }).return_to);
          return redirect(reply, url, [formatCookie(cookie, isSecure(publicUrl))]);
        } catch (error) {
          const { problem, code } = judgeFailure(error);
          logger.warn('a sign-in could not begin', { reason: messageOf(error) });
          report.fail(code);
          return redirect(reply, `${publicUrl}/?sign-in=${problem}`, []);
        }
      },
    },
    {
      ...common,
      path: callbackPath,
      summary: 'End a sign-in: the provider sends the browser here',
      query: { code: Type.String(), state: Type.String(), iss: Type.String(), error: Type.String() },
      failures: { 404: 'The server has no provider.' },
      async handle(request, reply) {
        const { report, scope } = request;
        const access = configured(signIn);
        const { publicUrl } = access;
        const secure = isSecure(publicUrl);
        const forget = formatCookie(undefined, secure);
        try {
          const { user, returnTo } = await access.finish(searchOf(request), readCookie(request, secure), scope.client);
          report.subject = user.name;
          return redirect(reply, publicUrl + returnTo, [forget, await openSession(user, { secure })]);
        } catch (error) {
          const { problem, code } = judgeFailure(error);
          logger.warn('a sign-in failed', { reason: messageOf(error) });
          report.fail(code);
          return redirect(reply, `${publicUrl}/?sign-in=${problem}`, [forget]);
        }
      },
    },
  ];
}

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:');

function searchOf({ url }: FastifyRequest): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start);
}

function redirect(reply: FastifyReply, url: string, cookies: readonly string[]): FastifyReply {
  return reply
    .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'set-cookie': [...cookies] })
    .redirect(url, 303);
}

/** With TLS, browsers accept the name from this host alone: no neighbor under the same domain can set it. */
const cookieName = (secure: boolean): string => (secure ? '__Host-hearth_sign_in' : 'hearth_sign_in');

/** Not Strict: the browser comes back from the provider, which is another site. */
function formatCookie(value: string | undefined, secure: boolean): string {
  const lifetime = value === undefined ? 0 : signInSeconds;
  const attributes = [`Max-Age=${lifetime}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
  return [`${cookieName(secure)}=${value ?? ''}`, ...attributes].join('; ');
}

function readCookie({ headers }: FastifyRequest, secure: boolean): string | undefined {
  const prefix = `${cookieName(secure)}=`;
  const found = headers.cookie?.split(';').find((part) => part.trimStart().startsWith(prefix));
  return found?.trim().slice(prefix.length);
}
