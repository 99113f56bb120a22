// GET, POST and DELETE /api/session: a web page exchanges a key for a cookie that scripts cannot read.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import type { Authenticator } from './access/authenticator.ts';
import { formatSessionCookie, readSessionCookie, type Sessions } from './access/sessions.ts';
import { SessionRequestBody, SessionResponseBody } from './session-schema.ts';

interface SessionRoutesOptions {
  readonly authenticator: Pick<Authenticator, 'isRequired' | 'findKey'>;
  readonly sessions: Sessions;
}

export function sessionRoutes({ authenticator, sessions }: SessionRoutesOptions): Route[] {
  const common = { dialect: ollamaDialect, scope: 'open', tag: 'Server', path: '/api/session' } as const;
  return [
    {
      ...common,
      method: 'GET',
      summary: 'Show whether requests need a key, and the key of this one',
      response: SessionResponseBody,
      handle({ scope: { key } }): SessionResponseBody {
        return { key_required: authenticator.isRequired(), name: key?.name, scope: key?.scope };
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
      handle(request, reply): SessionResponseBody {
        const record = authenticator.findKey((request.body as SessionRequestBody).key);
        request.report.subject = record.name;
        setCookie(request, reply, sessions.open(record));
        return { key_required: true, name: record.name, scope: record.scope };
      },
    },
    {
      ...common,
      method: 'DELETE',
      summary: 'End the session of a web page',
      response: SessionResponseBody,
      handle(request, reply): SessionResponseBody {
        const value = readSessionCookie(request.headers.cookie);
        if (value !== undefined) sessions.end(value);
        setCookie(request, reply, undefined);
        return { key_required: authenticator.isRequired() };
      },
    },
  ];
}

function setCookie({ protocol }: FastifyRequest, reply: FastifyReply, value: string | undefined): void {
  void reply.header('set-cookie', formatSessionCookie(value, { secure: protocol === 'https' }));
}
