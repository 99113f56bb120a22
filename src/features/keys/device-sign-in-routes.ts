// POST /api/sign-in/device and POST /api/sign-in/device/key: `hearth login` signs a user in with the device flow of OAuth. The
// server is the client of the provider, so that the command needs no secret, and gives it a key of the user.

import { HearthError, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import { configured, judgeFailure, type SignIn } from '../sign-in/sign-in.ts';
import type { KeyEditor } from './access/edit-keys.ts';
import { DeviceKeyBody, DeviceKeyRequestBody, DeviceSignInBody } from './device-sign-in-schema.ts';
import { checkLabel } from './own-keys-route.ts';

interface DeviceSignInOptions {
  /** Absent: no provider is configured. */
  readonly signIn?: SignIn;
  readonly editor: Pick<KeyEditor, 'createOwn'>;
  readonly maxKeys: number;
  readonly maxLifeMs: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/** As long as a session of the page. */
const lifeMs = 7 * 24 * 3_600_000;
// Callers without a key can use these routes, and must not fill the budget for bodies.
const maxBodyBytes = 8192;

export function deviceSignInRoutes(options: DeviceSignInOptions): Route[] {
  const { signIn, editor, maxKeys, maxLifeMs, clock, logger } = options;
  const path = '/api/sign-in/device';
  const common = { dialect: ollamaDialect, scope: 'open', tag: 'Server', method: 'POST', maxBodyBytes } as const;
  const explain = (error: unknown): HearthError => {
    if (error instanceof HearthError) return error;
    logger.warn('a sign-in of a command failed', { reason: messageOf(error) });
    const { problem, code } = judgeFailure(error);
    return new HearthError(code, explanations[problem]);
  };
  return [
    {
      ...common,
      path,
      summary: 'Begin to sign in with a code, for commands',
      response: DeviceSignInBody,
      failures: { 404: 'The server has no provider.' },
      async handle({ scope }): Promise<DeviceSignInBody> {
        const access = configured(signIn);
        checkAllowed(maxKeys);
        const begun = await access.beginDevice(scope.client).catch((error: unknown) => {
          throw explain(error);
        });
        return {
          token: begun.token,
          user_code: begun.userCode,
          verification_url: begun.url,
          verification_url_complete: begun.urlWithCode,
          expires_in: begun.expiresInSeconds,
          interval: begun.intervalSeconds,
        };
      },
    },
    {
      ...common,
      path: `${path}/key`,
      summary: 'End a sign-in with a code: create a key of the user',
      body: DeviceKeyRequestBody,
      response: DeviceKeyBody,
      failures: { 404: 'The server has no provider.' },
      async handle({ body, scope, report }): Promise<DeviceKeyBody> {
        const access = configured(signIn);
        const { token, name: label } = body as DeviceKeyRequestBody;
        checkLabel(label);
        checkAllowed(maxKeys);
        const user = await access.finishDevice(token, scope.client).catch((error: unknown) => {
          throw explain(error);
        });
        if (typeof user === 'string') return { pending: true, slow_down: user === 'slow_down' ? true : undefined };
        const name = `${user.name}.${label}`;
        report.subject = name;
        const expiresAt = Math.round(clock.now() + Math.min(lifeMs, maxLifeMs));
        const grant = { name, scope: user.scope, models: [], weight: 1, owner: user.id, expiresAt };
        const { text } = await editor.createOwn(grant, { maxOwn: maxKeys, replaces: true });
        return { pending: false, key: text, name, user: user.name, expires_at: formatTimestamp(expiresAt) };
      },
    },
  ];
}

function checkAllowed(maxKeys: number): void {
  if (maxKeys === 0) throw new HearthError('forbidden', 'users of this server may have no keys; see HEARTH_USER_KEYS');
}

const explanations: Readonly<Record<ReturnType<typeof judgeFailure>['problem'], string>> = {
  refused: 'the sign-in was refused or took too long, or this account may not use the server',
  failed: 'the provider does not offer this sign-in, or its answer was not valid; the log of the server says why',
  unavailable: 'the provider does not answer; try again later',
};
