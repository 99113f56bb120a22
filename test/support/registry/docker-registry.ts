// Debian's docker-registry, the reference implementation of the distribution protocol, as a child process on a loopback
// port with a temporary folder.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '../processes.ts';

export interface DockerRegistry {
  /** http://127.0.0.1:<port> */
  readonly url: string;
  /** 127.0.0.1:<port>, as in model names. */
  readonly host: string;
  readonly folder: string;
  readonly pid: number;
  readonly log: () => string;
  /** Stops the process and removes its folder. */
  stop(): Promise<void>;
}

export interface DockerRegistryOptions {
  /** A required user and password; the password as a bcrypt hash. */
  readonly htpasswd?: string;
}

/** False if Debian's package is not installed; then the tests are skipped, as the setup has reported. */
export const hasDockerRegistry = spawnSync('docker-registry', ['--version'], { stdio: 'ignore' }).status === 0;

export async function startDockerRegistry({ htpasswd }: DockerRegistryOptions = {}): Promise<DockerRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-registry-'));
  const config = join(folder, 'config.yml');
  const passwords = join(folder, 'htpasswd');
  writeFileSync(config, configuration(join(folder, 'files'), htpasswd === undefined ? undefined : passwords));
  if (htpasswd !== undefined) writeFileSync(passwords, `${htpasswd}\n`);
  const child = spawn('docker-registry', ['serve', config], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], OTEL_TRACES_EXPORTER: 'none' },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (log += String(chunk)));
  const exit = once(child, 'close');
  const host = await addressOf(child, () => log);
  return {
    url: `http://${host}`,
    host,
    folder,
    pid: child.pid as number,
    log: () => log,
    async stop() {
      child.kill('SIGKILL');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const configuration = (files: string, passwords: string | undefined): string => `version: 0.1
log:
  accesslog:
    disabled: true
  level: info
  formatter: json
storage:
  filesystem:
    rootdirectory: ${JSON.stringify(files)}
  delete:
    enabled: true
http:
  addr: 127.0.0.1:0
${passwords === undefined ? '' : `auth:\n  htpasswd:\n    realm: test\n    path: ${JSON.stringify(passwords)}\n`}`;

async function addressOf(child: ChildProcess, log: () => string): Promise<string> {
  for (;;) {
    const address = /listening on (127\.0\.0\.1:\d+)/.exec(log())?.[1];
    if (address !== undefined) return address;
    if (child.exitCode !== null) throw new Error(`docker-registry exited: ${log()}`);
    await pause(20);
  }
}
