// A machine for services: real files in a temporary folder, and a service manager that only remembers.

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandOutcome, ServiceHost } from '../../src/features/service/service-host.ts';
import { repository } from './repository.ts';

export interface FakeServiceHost extends ServiceHost {
  readonly folder: string;
  /** Command lines that change something, in their order. */
  readonly calls: string[];
  /** Command lines that fail, with their message. */
  readonly failures: Map<string, string>;
}

export function createFakeServiceHost(options: Partial<ServiceHost> = {}): FakeServiceHost {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-service-'));
  const calls: string[] = [];
  const failures = new Map<string, string>();
  let isRunning = false;
  return {
    platform: 'linux',
    uid: 1000,
    user: 'anna',
    home: join(folder, 'anna'),
    etc: join(folder, 'etc'),
    library: join(folder, 'Library'),
    environment: {},
    command: ['/usr/bin/node', '/usr/bin/hearth'],
    hasSystemd: true,
    groups: ['root', 'video', 'render', 'anna'],
    readUnitTemplate: () => readFileSync(repository('deploy/hearth.service'), 'utf8'),
    ...options,
    folder,
    calls,
    failures,
    async run(command) {
      const line = command.join(' ');
      const failure = failures.get(line);
      if (failure !== undefined) return { code: 1, stdout: '', stderr: failure };
      const answer = answerQuestion(line, { isRunning, calls });
      if (answer !== undefined) return answer;
      calls.push(line);
      if (/ enable --now | bootstrap /.test(line)) isRunning = true;
      if (/ disable --now | bootout /.test(line)) isRunning = false;
      return succeeded('');
    },
  };
}

const succeeded = (stdout: string): CommandOutcome => ({ code: 0, stdout, stderr: '' });
const failed: CommandOutcome = { code: 1, stdout: '', stderr: '' };

/** Undefined if the command changes something. */
function answerQuestion(
  line: string,
  { isRunning, calls }: { readonly isRunning: boolean; readonly calls: readonly string[] },
): CommandOutcome | undefined {
  if (line.includes(' show hearth.service')) return succeeded(systemdState(isRunning));
  if (line.startsWith('launchctl print')) return isRunning ? succeeded('\tstate = running\n\tpid = 42\n') : failed;
  if (line.startsWith('id -u')) return calls.some((call) => call.startsWith('useradd')) ? succeeded('999\n') : failed;
  return undefined;
}

function systemdState(isRunning: boolean): string {
  return isRunning
    ? 'LoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState=enabled\nMainPID=42\n'
    : 'LoadState=not-found\nActiveState=inactive\nSubState=dead\nUnitFileState=\nMainPID=0\n';
}
