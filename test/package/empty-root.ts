// A root folder with an unpacked archive, a shell, and the shared libraries that their programs need: no Node, no other
// program, no file of the user.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface EmptyRoot {
  readonly folder: string;
  /** Runs the installed command. */
  start(...words: readonly string[]): Running;
  remove(): void;
}

export interface Running {
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly exit: Promise<number | null>;
  /** Sends SIGTERM. */
  stop(): Promise<void>;
}

const namespace = ['--mount', '--propagation', 'private', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
const environment = ['PATH=/nowhere', 'HOME=/home', 'HEARTH_HOST=127.0.0.1:0'];

export function createEmptyRoot(archive: string): EmptyRoot {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-root-'));
  for (const name of ['bin', 'dev', 'proc', 'tmp', 'home', 'opt']) mkdirSync(join(folder, name));
  execFileSync('tar', ['-xzf', archive, '--strip-components=1', '-C', join(folder, 'opt')]);
  cpSync('/bin/sh', join(folder, 'bin/sh'), { dereference: true });
  for (const library of librariesOf(folder)) {
    mkdirSync(dirname(join(folder, library)), { recursive: true });
    cpSync(library, join(folder, library), { dereference: true });
  }
  return {
    folder,
    start(...words) {
      // Each command becomes the next one, so that the process is the one of Hearth in the end.
      const script =
        'mount --rbind /dev "$0/dev" && mount --rbind /proc "$0/proc" && exec chroot "$0" /bin/sh -c "$1" sh "$@"';
      const inside = `shift; export ${environment.join(' ')}; exec /opt/bin/hearth "$@"`;
      const child = spawn('unshare', [...namespace, 'sh', '-c', script, folder, inside, ...words], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'] },
      });
      const output = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].setEncoding('utf8').on('data', (chunk) => (output[name] += chunk));
      const exit = once(child, 'close').then(([code]) => code as number | null);
      return {
        stdout: () => output.stdout,
        stderr: () => output.stderr,
        exit,
        async stop() {
          child.kill('SIGTERM');
          await exit;
        },
      };
    },
    remove() {
      // The mounts are visible only in the namespaces. If they were not, this would delete devices.
      const mounted = ['dev', 'proc'].filter((name) => readdirSync(join(folder, name)).length > 0);
      if (mounted.length > 0) throw new Error(`${mounted.join(', ')} in ${folder} is mounted`);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Of the shell, of the runtime, and of everything that the runtime loads. */
function librariesOf(folder: string): string[] {
  const loaded = readdirSync(join(folder, 'opt/lib/hearth'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:node|so)$/.test(name) && !name.includes('musl'))
    .map((name) => join(folder, 'opt/lib/hearth', name));
  const files = [join(folder, 'bin/sh'), join(folder, 'opt/lib/node'), ...loaded];
  const listed = execFileSync('ldd', files, { encoding: 'utf8' });
  const paths = [...listed.matchAll(/(?:=> |^\t)(\/\S+) \(0x/gm)].map(([, path]) => path as string);
  return [...new Set(paths)].filter((path) => !path.startsWith(folder) && existsSync(path));
}
