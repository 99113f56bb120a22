// The service manager of this machine.

import { existsSync } from 'node:fs';
import { HearthError } from '../../base/errors.ts';
import { createLaunchdManager } from './launchd.ts';
import type { ServiceHost } from './service-host.ts';
import type { ServiceChoice, ServiceManager } from './service-manager.ts';
import { createSystemdManager } from './systemd.ts';

/** Throws if there is none. */
export function chooseManager(host: ServiceHost, choice: ServiceChoice): ServiceManager {
  if (host.platform === 'linux') return createSystemdManager(host, choice);
  if (host.platform === 'darwin') return createLaunchdManager(host, choice);
  throw new HearthError(
    'unsupported',
    'services are installed with systemd or launchd. On Windows, create a task that runs `hearth serve` at logon with the Task Scheduler',
  );
}

/** The installed service: the user's, or else the system's. */
export function findManager(host: ServiceHost, choice: ServiceChoice): ServiceManager {
  const own = chooseManager(host, choice);
  if (choice.system || isInstalled(own)) return own;
  const system = chooseManager(host, { ...choice, system: true });
  return isInstalled(system) ? system : own;
}

function isInstalled({ files }: ServiceManager): boolean {
  return existsSync(files.at(-1)?.path ?? '');
}

/** Throws if the manager cannot be called. */
export function checkHost(host: ServiceHost, { system }: ServiceChoice, words: string): void {
  if (host.platform === 'linux' && !host.hasSystemd)
    throw new HearthError(
      'unsupported',
      'systemd does not run here. A container runs `hearth serve` as its command; other service managers need a file of their own. --dry-run shows what would be written',
    );
  if (system && host.uid !== 0)
    throw new HearthError('bad_request', `a system service needs root: sudo ${host.command.join(' ')} ${words}`);
}
