// Ends the programs of MCP servers with this server. Each is the leader of a process group, so that programs which it starts end
// with it. If this process is killed, it cannot do that: another one, which does nothing else, sees the end of its
// input and kills the groups. Runners end by themselves; these programs are not ours.

import type { ChildProcess } from 'node:child_process';
import { startProcess } from '../../../base/process/spawn-child.ts';

// Windows has no groups.
const program = `
  const sign = process.platform === 'win32' ? 1 : -1;
  const groups = new Set();
  let rest = '';
  process.stdin.on('data', (chunk) => {
    const lines = (rest + chunk).split('\\n');
    rest = lines.pop();
    for (const line of lines) groups[line[0] === '+' ? 'add' : 'delete'](Number(line.slice(1)));
  });
  process.stdin.on('end', () => {
    for (const group of groups) try { process.kill(sign * group, 'SIGKILL'); } catch {}
  });
`;

export class ProcessGroups {
  readonly #groups = new Set<number>();
  #watcher: ChildProcess | undefined;

  /** The process was started with `detached`. */
  add(group: number): void {
    this.#groups.add(group);
    this.#tell(`+${group}\n`);
  }

  /** Kills what is left of the group. */
  end(group: number): void {
    if (!this.#groups.delete(group)) return;
    try {
      process.kill(process.platform === 'win32' ? group : -group, 'SIGKILL');
    } catch {
      // All of its processes have ended.
    }
    this.#tell(`-${group}\n`);
  }

  close(): void {
    for (const group of [...this.#groups]) this.end(group);
    this.#watcher?.stdin?.end();
    this.#watcher = undefined;
  }

  #tell(line: string): void {
    if (this.#watcher === undefined) {
      // Detached: Ctrl-C in a terminal is not for it.
      const watcher = startProcess(process.execPath, ['-e', program], {
        stdio: ['pipe', 'ignore', 'ignore'],
        env: {},
        detached: true,
        windowsHide: true,
      });
      watcher.on('error', () => {});
      watcher.stdin?.on('error', () => {});
      watcher.on('exit', () => {
        if (this.#watcher === watcher) this.#watcher = undefined;
      });
      watcher.unref();
      this.#watcher = watcher;
      for (const group of this.#groups) watcher.stdin?.write(`+${group}\n`);
      return;
    }
    this.#watcher.stdin?.write(line);
  }
}
