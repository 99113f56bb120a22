// `hearth version --check`: asks the npm registry for a newer version.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HearthError, messageOf } from '../../base/errors.ts';
import { isNewerVersion, newestRelease } from './compare-versions.ts';
import { listVersions, type VersionsQuestion } from './list-versions.ts';
import { updateCommand } from './update-command.ts';

interface UpdateQuestion extends VersionsQuestion {
  readonly packageFolder: string;
}

const timeLimitMs = 30_000;

export async function checkUpdate(question: UpdateQuestion) {
  const { version, packageFolder } = question;
  const { name } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { readonly name: string };
  const newest = newestRelease(await listInTime(name, question)) ?? version;
  return {
    newest,
    isNewer: isNewerVersion(newest, version),
    updateWith: updateCommand({
      name,
      packageFolder,
      isRepository: existsSync(join(packageFolder, '.git')),
      newest,
      platform: `${process.platform}-${process.arch}`,
    }),
  };
}

async function listInTime(name: string, question: UpdateQuestion): Promise<readonly string[]> {
  const expired = new AbortController();
  const timer = question.clock.after(timeLimitMs, () => expired.abort());
  try {
    return await listVersions(name, { ...question, signal: AbortSignal.any([question.signal, expired.signal]) });
  } catch (error) {
    if (question.signal.aborted) throw error;
    const reason = expired.signal.aborted ? `no answer within ${timeLimitMs / 1000} seconds` : messageOf(error);
    throw new HearthError('registry_failed', `cannot look for a newer version: ${reason}`);
  } finally {
    timer.cancel();
  }
}
