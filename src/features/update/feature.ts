// hearth version, hearth --version, hearth version --check

import { toClientTls } from '../../base/config/client-tls.ts';
import { processEnvironment } from '../../base/config/environment.ts';
import type { CliContext } from '../../cli/command.ts';
import { safeLine } from '../../cli/output/format.ts';
import { ClientError } from '../../client/client-error.ts';
import type { VersionResponseBody } from '../../server/dialects/ollama/status/version-schema.ts';
import type { Feature } from '../feature.ts';

export const updateFeature: Feature = {
  commands: [
    {
      name: 'version',
      summary: 'Show version information',
      description:
        'With --check, asks the npm registry for a newer version, through the npm of this machine if it is installed. Nothing else in Hearth does so.',
      options: [{ flags: '--check', help: 'Ask whether there is a newer version, and say how to update' }],
      examples: ['hearth version', 'hearth version --check'],
      async execute(context, { options }) {
        await (options['check'] === true ? showUpdate(context) : showVersion(context));
      },
    },
  ],
};

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

// The client's version is printed even if the server does not respond.
const timeoutMs = 3000;

async function fetchVersion({ client, clock, signal }: CliContext): Promise<Partial<VersionResponseBody> | undefined> {
  const expired = new AbortController();
  const timer = clock.after(timeoutMs, () => expired.abort());
  try {
    return await client().version(AbortSignal.any([signal, expired.signal]));
  } catch (error) {
    if (!(error instanceof ClientError) || signal.aborted) throw error;
    return undefined;
  } finally {
    timer.cancel();
  }
}

async function showUpdate({ terminal, version, packageFolder, clock, loadSetting, signal }: CliContext): Promise<void> {
  const { checkUpdate } = await import('./check-update.ts');
  const { newest, isNewer, updateWith } = await checkUpdate({
    environment: processEnvironment,
    version,
    packageFolder,
    proxy: { https: loadSetting('httpsProxy'), http: loadSetting('httpProxy'), except: loadSetting('noProxy') },
    tls: toClientTls({ tlsCa: loadSetting('tlsCa'), tlsCert: loadSetting('tlsCert'), tlsKey: loadSetting('tlsKey') }),
    clock,
    signal,
  });
  terminal.stdout.write(
    isNewer
      ? `Hearth ${newest} is available; this is ${version}. Update it with:\n  ${updateWith}\n`
      : `Hearth ${version} is the newest version.\n`,
  );
}
