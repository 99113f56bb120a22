// `hearth version --check`: asks the npm registry, with the installed npm and its configuration.

import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageEnvironment } from '../../../base/config/child-environment.ts';
import type { Environment } from '../../../base/config/load-settings.ts';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { type Clock, systemClock } from '../../../base/time/clock.ts';
import { npmTool } from '../../../models/package-client/npm-tool.ts';
import { runTool } from '../../../models/package-client/package-tool.ts';
import { isNewerVersion, newestRelease } from './compare-versions.ts';
import { updateCommand } from './update-command.ts';

export interface UpdateQuestion {
  readonly environment: Environment;
  readonly version: string;
  readonly packageFolder: string;
  /** Of the settings. Empty for no proxy. */
  readonly proxy: { readonly https: string; readonly http: string; readonly except: string };
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

// Milliseconds.
const timeLimit = 20_000;

export async function checkUpdate(question: UpdateQuestion) {
  const { version, packageFolder } = question;
  const { name } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { readonly name: string };
  const newest = newestRelease(await listVersions(name, question)) ?? version;
  return {
    newest,
    isNewer: isNewerVersion(newest, version),
    updateWith: updateCommand({ name, packageFolder, isRepository: existsSync(join(packageFolder, '.git')) }),
  };
}

async function listVersions(name: string, question: UpdateQuestion): Promise<readonly string[]> {
  const { signal, clock = systemClock } = question;
  const folder = await mkdtemp(join(tmpdir(), 'hearth-update-'));
  const expired = new AbortController();
  const timer = clock.after(timeLimit, () => expired.abort());
  try {
    const stdout = await runTool(npmTool, {
      folder,
      environment: environmentOf(question),
      signal: AbortSignal.any([signal, expired.signal]),
      args: ['view', '--json', '--workspaces=false', name, 'versions'],
      package: name,
    });
    return parseVersions(stdout);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new HearthError('registry_failed', `cannot look for a newer version: ${reasonOf(error, expired.signal)}`);
  } finally {
    timer.cancel();
    await rm(folder, { recursive: true, force: true });
  }
}

/** npm prints a single version as a text. */
export function parseVersions(stdout: string): string[] {
  const parsed: unknown = JSON.parse(stdout);
  return (Array.isArray(parsed) ? parsed : [parsed]).filter(
    (version): version is string => typeof version === 'string',
  );
}

function reasonOf(error: unknown, expired: AbortSignal): string {
  if (expired.aborted) return `npm did not answer within ${timeLimit / 1000} seconds`;
  if (error instanceof HearthError && error.code === 'unsupported') return 'npm is not installed';
  if (error instanceof SyntaxError) return 'npm did not print versions';
  return messageOf(error);
}

function environmentOf({ environment, proxy }: UpdateQuestion): Environment {
  const variables = { HTTPS_PROXY: proxy.https, HTTP_PROXY: proxy.http, NO_PROXY: proxy.except };
  const given = Object.entries(variables).filter(([, value]) => value !== '');
  return { ...packageEnvironment(environment), ...Object.fromEntries(given) };
}
