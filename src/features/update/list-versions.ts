// The published versions of a package: with the installed npm and its configuration, or without npm from the registry.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageEnvironment } from '../../base/config/child-environment.ts';
import type { Environment } from '../../base/config/environment.ts';
import { HearthError } from '../../base/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { ClientTls } from '../../base/tls/client-context.ts';
import { npmTool } from '../../models/package-client/npm-tool.ts';
import { runTool } from '../../models/package-client/package-tool.ts';
import { createHttpClient } from '../../models/registry-client/http/http-client.ts';
import type { ProxySettings } from '../../models/registry-client/http/proxy-settings.ts';
import { readBoundedBody } from '../../models/registry-client/http/read-response.ts';

export interface VersionsQuestion {
  readonly environment: Environment;
  readonly version: string;
  readonly proxy: ProxySettings;
  readonly tls: ClientTls;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export async function listVersions(name: string, question: VersionsQuestion): Promise<readonly string[]> {
  try {
    return parseVersions(await askNpm(name, question));
  } catch (error) {
    // Without npm, as for an archive that has its own runtime.
    if (error instanceof HearthError && error.code === 'unsupported') return fetchVersions(name, question);
    throw error;
  }
}

async function askNpm(name: string, question: VersionsQuestion): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-update-'));
  try {
    return await runTool(npmTool, {
      folder,
      environment: environmentOf(question),
      signal: question.signal,
      args: ['view', '--json', '--workspaces=false', name, 'versions'],
      package: name,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function environmentOf({ environment, proxy }: VersionsQuestion): Environment {
  const variables = { HTTPS_PROXY: proxy.https, HTTP_PROXY: proxy.http, NO_PROXY: proxy.except };
  const given = Object.entries(variables).filter(([, value]) => value !== '');
  return { ...packageEnvironment(environment), ...Object.fromEntries(given) };
}

/** npm prints a single version as a text. */
function parseVersions(stdout: string): string[] {
  const parsed = parseJson(stdout);
  return (Array.isArray(parsed) ? parsed : [parsed]).filter((version) => typeof version === 'string');
}

const publicRegistry = 'https://registry.npmjs.org';
// The short form of the metadata of large packages has less.
const maxMetadataBytes = 8 * 2 ** 20;

async function fetchVersions(name: string, question: VersionsQuestion): Promise<string[]> {
  const { environment, version, proxy, tls, clock, signal } = question;
  const registry = environment['npm_config_registry'] || publicRegistry;
  const url = new URL(name, registry.endsWith('/') ? registry : `${registry}/`);
  const client = createHttpClient({ version, clock, proxy, tls });
  try {
    const response = await client.send({
      method: 'GET',
      url,
      headers: { accept: 'application/vnd.npm.install-v1+json' },
      destination: { kind: 'named', addresses: [] },
      signal,
    });
    const body = await readBoundedBody(response, maxMetadataBytes, 'metadata');
    if (response.status !== 200) throw failure(`${url.host} answers with status ${response.status}`);
    const { versions } = (parseJson(body.toString('utf8')) ?? {}) as { readonly versions?: unknown };
    return Object.keys(versions ?? {});
  } finally {
    await client.close();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw failure('the answer has no versions');
  }
}

function failure(message: string): HearthError {
  return new HearthError('registry_failed', message);
}
