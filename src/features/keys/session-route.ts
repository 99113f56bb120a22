// GET, POST and DELETE /api/session: a web page exchanges a key for a cookie that scripts cannot read.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallerKey } from '../../base/request/caller-key.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import { signInPath } from '../sign-in/sign-in-routes.ts';
import type { Authenticator } from './access/authenticator.ts';
import type { KeyStore } from './access/key-store.ts';
import { formatSessionCookie, readSessionCookie, type SessionHome } from './access/sessions.ts';
import { SessionRequestBody, SessionResponseBody } from './session-schema.ts';

interface SessionRoutesOptions {
  readonly authenticator: Pick<Authenticator, 'isRequired' | 'findKey'>;
  readonly sessions: SessionHome;
  readonly keys: Pick<KeyStore, 'find'>;
  /** Absent: users cannot sign in. */
  readonly signIn?: Pick<SignIn, 'publicUrl' | 'signOutUrl' | 'users'>;
}

export function sessionRoutes({ authenticator, sessions, keys, signIn }: SessionRoutesOptions): Route[] {
  const common = { dialect: ollamaDialect, scope: 'open', tag: 'Server', path: '/api/session' } as const;
  const isUser = (key: CallerKey | undefined): boolean => key !== undefined && signIn?.users.find(key.id) !== undefined;
  return [
    {
      ...common,
      method: 'GET',
      summary: 'Show whether requests need a key, and the key of this one',
      response: SessionResponseBody,
      handle({ scope: { key } }): SessionResponseBody {
        return {
          key_required: authenticator.isRequired(),
          name: key?.name,
          key_name: key?.credential === undefined ? undefined : keys.find(key.credential)?.name,
          scope: key?.scope,
          is_user: isUser(key) ? true : undefined,
          sign_in_url: signIn && signIn.publicUrl + signInPath,
        };
      },
    },
    {
      ...common,
      method: 'POST',
      summary: 'Begin a session of a web page: the key becomes a cookie',
      body: SessionRequestBody,
      // Callers without a key can use this route, and must not fill the budget for bodies.
      maxBodyBytes: 1024,
      response: SessionResponseBody,
      async handle(request, reply): Promise<SessionResponseBody> {
        const { key, holder } = authenticator.findKey((request.body as SessionRequestBody).key);
        request.report.subject = key.name;
        setCookie(request, reply, await sessions.open(key));
        return { key_required: true, name: holder.name, scope: holder.scope, is_user: holder.isUser };
      },
    },
    {
      ...common,
      method: 'DELETE',
      summary: 'End the session of a web page',
      response: SessionResponseBody,
      async handle(request, reply): Promise<SessionResponseBody> {
        const value = readSessionCookie(request.headers.cookie);
        if (value !== undefined) await sessions.end(value);
        setCookie(request, reply, undefined);
        return {
          key_required: authenticator.isRequired(),
          sign_out_url: isUser(request.scope.key) ? await signIn?.signOutUrl() : undefined,
        };
      },
    },
  ];
}

function setCookie({ protocol }: FastifyRequest, reply: FastifyReply, value: string | undefined): void {
  void reply.header('set-cookie', formatSessionCookie(value, { secure: protocol === 'https' }));
}
