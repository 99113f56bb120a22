// hearth version, hearth --version

import { ClientError } from '../../client/client-error.ts';
import type { VersionResponseBody } from '../../server/dialects/ollama/status/version-schema.ts';
import type { CliContext, CommandSpec } from '../command.ts';
import { safeLine } from '../output/format.ts';

// Milliseconds. The client's version is printed even if the server does not respond.
const timeout = 3000;

export const versionCommand: CommandSpec = {
  name: 'version',
  summary: 'Show version information',
  examples: ['hearth version'],
  async execute(context) {
    const { terminal, version, client } = context;
    const warn = (text: string): void => terminal.stderr.write(`Warning: ${text}\n`);
    const server = await fetchVersion(context);
    const serverVersion = server === undefined ? version : safeLine(server.hearth ?? server.version ?? 'unknown');
    terminal.stdout.write(`hearth version is ${serverVersion}\n`);
    if (server === undefined) warn(`could not connect to a running Hearth server at ${client().url}`);
    else if (server.hearth === undefined) warn('the server is not Hearth, but implements the same API');
    if (serverVersion !== version) warn(`client version is ${version}`);
    return undefined;
  },
};

async function fetchVersion({ client, clock, signal }: CliContext): Promise<Partial<VersionResponseBody> | undefined> {
  const expired = new AbortController();
  const timer = clock.after(timeout, () => expired.abort());
  try {
    return await client().version(AbortSignal.any([signal, expired.signal]));
  } catch (error) {
    if (!(error instanceof ClientError) || signal.aborted) throw error;
    return undefined;
  } finally {
    timer.cancel();
  }
}
