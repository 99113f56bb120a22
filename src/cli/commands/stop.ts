// hearth stop MODEL, hearth stop --server

import { isLoopbackUrl } from '../../base/config/server-url.ts';
import { HearthError } from '../../base/errors.ts';
import type { CliContext, CommandSpec } from '../command.ts';
import { isModelMissing } from '../output/explain.ts';
import { safeText } from '../output/format.ts';

export const stopCommand: CommandSpec = {
  name: 'stop',
  summary: 'Stop a running model or the server',
  description:
    'Unloads the model after its running requests have finished. The next request loads it again. With --server, ends the server that a command has started in the background; running answers may finish.',
  arguments: [{ name: 'model', required: false, completes: 'model' }],
  options: [{ flags: '--server', help: 'End the server that a command has started in the background' }],
  examples: ['hearth stop ember', 'hearth stop --server'],
  async execute(context, { words: [model], options }) {
    const isServer = options['server'] === true;
    if (isServer === (model !== undefined))
      throw new HearthError('bad_request', 'name a model to stop, or use --server to end the server');
    await (model === undefined ? stopServer(context) : stopModel(context, model));
  },
};

async function stopModel({ connect, signal }: CliContext, model: string): Promise<void> {
  const client = await connect();
  try {
    for await (const _ of client.generate({ model, keep_alive: 0 }, signal));
  } catch (error) {
    if (!isModelMissing(error)) throw error;
    throw new HearthError(
      'model_not_found',
      `couldn't find model "${safeText(model)}" to stop: \`hearth ps\` lists the running models`,
    );
  }
}

async function stopServer({ client, terminal, clock, signal }: CliContext): Promise<void> {
  const { url } = client();
  const { endBackgroundServer, findBackgroundServers, isAtUrl } = await import('../background/background-servers.ts');
  const { findServer } = await import('../background/find-server.ts');
  const server = isLoopbackUrl(url) && (await findBackgroundServers()).find((candidate) => isAtUrl(candidate, url));
  if (server) {
    await endBackgroundServer(server, clock);
    terminal.stderr.write(`Stopped the server at ${url} (process ${server.pid}).\n`);
    return;
  }
  const failure = await findServer(client(), signal);
  if (failure !== undefined) throw failure;
  const how = 'press Ctrl-C where it runs, or stop its service';
  throw new HearthError('bad_request', `the server at ${url} was not started by a command: ${how}`);
}
