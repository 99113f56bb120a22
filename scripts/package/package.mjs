// npm run package: builds an archive with the program, its runtime and its model, for machines without Node.
// docs/install.md describes the options.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadSource } from '../load-source.mjs';
import { root, setUp } from '../setup.mjs';
import { fetchPackage } from './fetch-package.mjs';
import { listEntries } from './list-entries.mjs';
import { toNotices } from './notices.mjs';
import { findRuntime } from './runtime.mjs';
import { selectPackages } from './select-packages.mjs';
import { writeTarGz } from './write-tar.mjs';

const { values } = parseArgs({
  options: {
    platform: { type: 'string', default: `${process.platform}-${process.arch}` },
    node: { type: 'string' },
    output: { type: 'string', default: join(root, 'build', 'package') },
  },
});
const [platform, arch] = values.platform.split('-');

setUp();
const scratch = mkdtempSync(join(tmpdir(), 'hearth-package-'));
try {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const top = `hearth-${version}-${platform}-${arch}`;
  const archive = join(values.output, `${top}.tar.gz`);
  const runtime = findRuntime({ archive: values.node, platform, arch, folder: join(scratch, 'node') });
  const packages = await collectPackages();
  const notices = toNotices(packages, { runtime: runtime.license });
  mkdirSync(values.output, { recursive: true });
  const entries = listEntries({ top, root, platform, packages, runtime, notices });
  await writeTarGz(archive, entries, { seconds: lastChange() });
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  // In the form of sha256sum.
  writeFileSync(`${archive}.sha256`, `${sum}  ${top}.tar.gz\n`);
  console.log(archive);
} catch (error) {
  console.error(`npm run package: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** With the path that each is copied from. */
async function collectPackages() {
  const { enginePackageName } = await loadSource('inference/backends/engine-package.ts');
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const engine = enginePackageName({ platform, arch });
  const selected = selectPackages(lock, { platform, arch, engine });
  if (!selected.some(({ name }) => name === engine)) throw new Error(`there is no engine for ${values.platform}`);
  return selected.map((entry) => {
    const installed = join(root, entry.folder);
    return { ...entry, path: existsSync(installed) ? installed : fetchPackage(entry, join(scratch, 'packages')) };
  });
}

/** Seconds since 1970, the same for the same sources. */
function lastChange() {
  const { SOURCE_DATE_EPOCH: given } = process.env;
  return Number(given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }));
}
