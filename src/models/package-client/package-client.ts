// Downloads packages with the installed pip and npm, so that their mirrors, proxies and credentials apply. A file that
// anyone can download is downloaded without them, since they cannot continue. Nothing of a package is executed: pip gets only
// wheels, and npm runs no scripts.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HearthError } from '../../base/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type PackageReference, type PackageSource, packageIdOf } from '../package-reference.ts';
import { npmTool } from './npm-tool.ts';
import { type PackageTool, type ResolvedPackage, runTool, type ToolContext } from './package-tool.ts';
import { pipTool } from './pip-tool.ts';
import { downloadDirectly } from './resume-download.ts';
import type { ToolEnvironment } from './run-command.ts';
import { watchGrowth } from './watch-growth.ts';

interface PackageDownload {
  readonly reference: PackageReference;
  readonly resolved: ResolvedPackage;
  /** An existing folder for the download and the file. */
  readonly folder: string;
  /** The total is an estimate until the download has ended. */
  readonly onProgress: (completed: number, total: number | undefined) => void;
}

export interface PackageClient {
  /** The version that a download gets. Downloads nothing. */
  resolve(reference: PackageReference, folder: string, signal: AbortSignal): Promise<ResolvedPackage>;
  /**
   * Resolves with the path of the wheel or tarball. A complete file in the folder is not downloaded again. What has
   * arrived of an incomplete one has a name that ends with `partSuffix`.
   */
  download(download: PackageDownload, signal: AbortSignal): Promise<string>;
  /** Cancels everything that runs. */
  close(): void;
}

interface PackageClientOptions {
  /** The variables of the child processes. */
  readonly environment: ToolEnvironment;
  readonly clock: Clock;
}

export const partSuffix = '.part';

const tools: Readonly<Record<PackageSource, PackageTool>> = { pypi: pipTool, npm: npmTool };

export function createPackageClient({ environment, clock }: PackageClientOptions): PackageClient {
  const closing = new AbortController();

  /** Calls `use` with an empty folder for the child process, which is removed afterwards. */
  const withTool = async <Result>(
    folder: string,
    signal: AbortSignal,
    use: (context: ToolContext) => Promise<Result>,
  ): Promise<Result> => {
    const work = join(folder, 'work');
    await rm(work, { recursive: true, force: true });
    await mkdir(work);
    try {
      return await use({ folder: work, environment, signal: AbortSignal.any([signal, closing.signal]) });
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  };

  const run = async ({ reference, resolved, onProgress }: PackageDownload, context: ToolContext): Promise<string> => {
    const tool = tools[reference.source];
    let total = resolved.estimatedSize;
    const onLine = (line: string): void => {
      total = tool.sizeIn(line) ?? total;
    };
    const watch = watchGrowth(context.folder, clock, (bytes) => onProgress(bytes, total));
    try {
      const args = tool.downloadArguments(reference, resolved.version);
      await runTool(tool, { ...context, args, onLine, package: packageIdOf(reference) });
    } finally {
      await watch.stop();
    }
    return findFile(context.folder, tool.extension);
  };

  /** False if only the program can download it. */
  const downloadPart = async (download: PackageDownload, path: string, signal: AbortSignal): Promise<boolean> => {
    const { reference, resolved, onProgress } = download;
    if (resolved.url === undefined || resolved.integrity === undefined || hasProxy(environment)) return false;
    return downloadDirectly({
      url: resolved.url,
      path,
      package: packageIdOf(reference),
      clock,
      signal: AbortSignal.any([signal, closing.signal]),
      onProgress,
    });
  };

  return {
    async resolve(reference, folder, signal) {
      const tool = tools[reference.source];
      const args = tool.resolveArguments(reference);
      const stdout = await withTool(folder, signal, (context) =>
        runTool(tool, { ...context, args, package: packageIdOf(reference) }),
      );
      return tool.parseResolved(stdout, reference);
    },
    async download(download, signal) {
      const { folder, resolved, onProgress } = download;
      const archive = join(folder, `${resolved.version}.package`);
      if ((await sizeOf(archive)) === undefined) {
        const part = `${archive}${partSuffix}`;
        if (await downloadPart(download, part, signal)) await rename(part, archive);
        else await withTool(folder, signal, async (context) => rename(await run(download, context), archive));
        await rm(part, { force: true });
      }
      if (resolved.integrity !== undefined) await checkIntegrity(archive, resolved.integrity);
      const size = (await sizeOf(archive)) ?? 0;
      onProgress(size, size);
      return archive;
    },
    close: () => closing.abort(),
  };
}

/** The programs know more about proxies, such as which hosts need none. */
function hasProxy(environment: ToolEnvironment): boolean {
  return Object.entries(environment).some(
    ([name, value]) => /^(?:https?_proxy|pip_proxy|npm_config_(?:https?[_-])?proxy)$/i.test(name) && Boolean(value),
  );
}

async function sizeOf(path: string): Promise<number | undefined> {
  const info = await stat(path).catch(() => undefined);
  return info?.isFile() ? info.size : undefined;
}

async function findFile(folder: string, extension: string): Promise<string> {
  const [name, ...others] = (await readdir(folder)).filter((file) => file.endsWith(extension));
  if (name === undefined || others.length > 0)
    throw new HearthError('registry_invalid_response', 'the download did not produce exactly one file');
  return join(folder, name);
}

/** Throws `digest_mismatch` and removes the file. */
async function checkIntegrity(path: string, integrity: string): Promise<void> {
  const [, algorithm = '', expected] = /^(sha\d+)-([A-Za-z0-9+/=]+)/.exec(integrity) ?? [];
  if (expected === undefined) return;
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk as Buffer);
  if (hash.digest('base64') === expected) return;
  await rm(path, { force: true });
  throw new HearthError('digest_mismatch', 'the package does not match the hash in the index, and was removed');
}
