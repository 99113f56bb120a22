// hearth version, hearth --version, hearth version --check

import { ClientError } from '../../client/client-error.ts';
import type { VersionResponseBody } from '../../server/dialects/ollama/status/version-schema.ts';
import type { CliContext, CommandSpec } from '../command.ts';
import { safeLine } from '../output/format.ts';

// Milliseconds. The client's version is printed even if the server does not respond.
const timeout = 3000;

export interface UpdateAnswer {
  /** The newest published version that is not a pre-release. */
  readonly newest: string;
  readonly isNewer: boolean;
  /** How this installation is updated. */
  readonly updateWith: string;
}

/** Asks the npm registry. Throws if it cannot be asked. */
export type CheckUpdate = (signal: AbortSignal) => Promise<UpdateAnswer>;

export const versionCommandName = 'version';

export function versionCommand(checkUpdate: CheckUpdate): CommandSpec {
  return {
    name: versionCommandName,
    summary: 'Show version information',
    description:
      'With --check, asks the npm registry for a newer version, through the npm of this machine if it is installed. Nothing else in Hearth does so.',
    options: [{ flags: '--check', help: 'Ask whether there is a newer version, and say how to update' }],
    examples: ['hearth version', 'hearth version --check'],
    async execute(context, { options }) {
      await (options['check'] === true ? showUpdate(context, checkUpdate) : showVersion(context));
      return undefined;
    },
  };
}

async function showVersion(context: CliContext): Promise<void> {
  const { terminal, version, client } = context;
  const warn = (text: string): void => terminal.stderr.write(`Warning: ${text}\n`);
  const server = await fetchVersion(context);
  const serverVersion = server === undefined ? version : safeLine(server.hearth ?? server.version ?? 'unknown');
  terminal.stdout.write(`hearth version is ${serverVersion}\n`);
  if (server === undefined) warn(`could not connect to a running Hearth server at ${client().url}`);
  else if (server.hearth === undefined) warn('the server is not Hearth, but implements the same API');
  if (serverVersion !== version) warn(`client version is ${version}`);
}

async function showUpdate({ terminal, version, signal }: CliContext, checkUpdate: CheckUpdate): Promise<void> {
  const { newest, isNewer, updateWith } = await checkUpdate(signal);
  const text = isNewer
    ? `Hearth ${newest} is available; this is ${version}. Update it with:\n  ${updateWith}\n`
    : `Hearth ${version} is the newest version.\n`;
  terminal.stdout.write(text);
}

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
