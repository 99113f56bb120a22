// hearth login and hearth logout: a key for the commands of this user, through the account of the company.

import { hostname } from 'node:os';
import { HearthError } from '../../base/errors.ts';
import { type Clock, keepProcessAlive } from '../../base/time/clock.ts';
import { parseTimestamp } from '../../base/time/timestamp.ts';
import type { CliContext, CommandSpec } from '../../cli/command.ts';
import { formatMoment, safeLine } from '../../cli/output/format.ts';
import type { DeviceKeyBody, DeviceSignInBody } from './device-sign-in-schema.ts';

export const loginCommand: CommandSpec = {
  name: 'login',
  summary: 'Sign in to a server with your account',
  description:
    'Signs in to the server of HEARTH_HOST, with an account of its OpenID Connect provider. Prints an address and a code. When you have confirmed the code there, in any browser, a key that is valid for a week at most is written to ~/.hearth/credentials, where the commands of this user find it. HEARTH_OIDC_ISSUER of the server names the provider.',
  examples: ['hearth login'],
  async execute(context) {
    const { client, terminal, clock } = context;
    // Before anybody signs in: the key must be written.
    const save = await (await import('./save-key.ts')).openCredentials();
    const begun = await client().session.beginSignIn(context.signal);
    terminal.stderr.write(describe(begun));
    const { key = '', name = '', user = '', expires_at: expires = '' } = await waitForKey(context, begun);
    const file = await save(client().url, key);
    const until = formatMoment(parseTimestamp(expires), clock.now());
    terminal.stderr.write(
      `Signed in as '${safeLine(user)}'. The key '${safeLine(name)}' is in ${file} and expires ${until}.\n`,
    );
  },
};

export const logoutCommand: CommandSpec = {
  name: 'logout',
  summary: 'Revoke the key of hearth login',
  description: 'Also removes the key from ~/.hearth/credentials.',
  examples: ['hearth logout'],
  async execute({ client, terminal, signal }) {
    const { url, apiKey, session } = client();
    if (apiKey === undefined) {
      terminal.stderr.write(`There is no key for ${url}.\n`);
      return;
    }
    const { name, key_name: keyName } = await session.show(signal);
    if (name !== undefined && keyName === undefined)
      throw new HearthError(
        'bad_request',
        `the key '${safeLine(name)}' is not one of hearth login; an administrator can revoke it with hearth keys revoke`,
      );
    if (keyName !== undefined) await session.revokeOwnKey(keyName, signal);
    const file = await (await import('./save-key.ts')).removeCredentials(url);
    const what =
      keyName === undefined ? 'The key was not valid any more.' : `The key '${safeLine(keyName)}' is revoked.`;
    terminal.stderr.write(`${what} It is removed from ${file}.\n`);
  },
};

function describe({ user_code: code, verification_url: url, verification_url_complete: complete }: DeviceSignInBody) {
  const direct = complete === undefined ? '' : `or open\n\n    ${safeLine(complete)}\n\nand compare the code. `;
  return `To sign in, open\n\n    ${safeLine(url)}\n\nand enter the code ${safeLine(code)}, ${direct}Waiting …\n`;
}

const slowestSeconds = 60;

/** Asks until the person has decided. The server ends this with an error when the code has expired. */
async function waitForKey(
  { client, clock, signal }: CliContext,
  { token, interval }: DeviceSignInBody,
): Promise<DeviceKeyBody> {
  const name = `cli-${hostname().replace(/[^A-Za-z0-9_-]/g, '-')}`.slice(0, 20);
  const release = keepProcessAlive();
  let seconds = Math.max(interval, 1);
  try {
    for (;;) {
      await pause(clock, Math.min(seconds, slowestSeconds) * 1000, signal);
      const answer = await client().session.endSignIn({ token, name }, signal);
      if (!answer.pending) return answer;
      if (answer.slow_down) seconds += 5;
    }
  } finally {
    release();
  }
}

function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(milliseconds, resolve);
    signal.addEventListener(
      'abort',
      () => {
        timer.cancel();
        reject(signal.reason);
      },
      { once: true },
    );
  });
}
