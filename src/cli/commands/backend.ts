// hearth backend add, list, remove: GPU backends of this machine.

import { HearthError } from '../../base/errors.ts';
import type { ProgressResponseBody } from '../../server/dialects/ollama/transfer/progress-schema.ts';
import type { CommandSpec } from '../command.ts';
import { safeLine } from '../output/format.ts';
import { formatTable, tableWidth } from '../output/table.ts';

const families = ['cuda', 'vulkan'] as const;
export type BackendFamily = (typeof families)[number];

export interface ListedBackend {
  readonly name: string;
  readonly version: string;
  readonly origin: string;
  readonly folder: string;
}

/** Backends are files of this machine, so no server is involved. */
export interface BackendPorts {
  /** Chooses the build for this machine and installs it. */
  add(family: BackendFamily, signal: AbortSignal): AsyncIterable<ProgressResponseBody>;
  list(): Promise<readonly ListedBackend[]>;
  /** Resolves to false if it is not installed. */
  remove(name: string): Promise<boolean>;
}

export function backendCommand(ports: BackendPorts): CommandSpec {
  return {
    name: 'backend',
    summary: 'Install GPU backends',
    examples: ['hearth backend list'],
    commands: [addCommand(ports), listCommand(ports), removeCommand(ports)],
  };
}

function addCommand({ add }: BackendPorts): CommandSpec {
  return {
    name: 'add',
    summary: 'Download and install a backend',
    description:
      'cuda is for NVIDIA GPUs; the build is chosen by driver and compute capability. vulkan is for GPUs of AMD, Intel and NVIDIA. npm, as it is configured on this machine, finds the packages for text and for vision models; they are downloaded into the folder of HEARTH_BACKENDS (default ~/.hearth/backends). A running server uses the backend for models that it loads from then on.',
    arguments: [{ name: 'backend', required: true, completes: families }],
    examples: ['hearth backend add cuda', 'hearth backend add vulkan'],
    async execute({ terminal, clock, signal }, { words: [word = ''] }) {
      const family = families.find((name) => name === word);
      if (family === undefined) throw unknownBackend(word);
      const { followStatuses } = await import('../progress/show-progress.ts');
      await followStatuses(add(family, signal), { screen: terminal.stderr, clock });
      terminal.stdout.write('`hearth devices` shows whether it works.\n');
      return undefined;
    },
  };
}

function listCommand({ list }: BackendPorts): CommandSpec {
  return {
    name: 'list',
    alias: 'ls',
    summary: 'List the backends on this machine',
    examples: ['hearth backend list'],
    async execute({ terminal }) {
      const rows = (await list()).map(({ name, version, origin, folder }) =>
        [name, version, origin, folder].map(safeLine),
      );
      const head = ['NAME', 'VERSION', 'ORIGIN', 'FOLDER'];
      terminal.stdout.write(formatTable(head, rows, { optional: ['ORIGIN'], width: tableWidth(terminal.stdout) }));
      return undefined;
    },
  };
}

function removeCommand({ remove }: BackendPorts): CommandSpec {
  return {
    name: 'remove',
    alias: 'rm',
    summary: 'Remove an installed backend',
    arguments: [{ name: 'backend', required: true, completes: 'nothing' }],
    examples: ['hearth backend remove vulkan'],
    async execute({ terminal }, { words: [name = ''] }) {
      if (!(await remove(name)))
        throw new HearthError(
          'bad_request',
          `the backend ${JSON.stringify(name)} is not installed: see \`hearth backend list\``,
        );
      terminal.stdout.write(`removed ${safeLine(name)}\n`);
      return undefined;
    },
  };
}

function unknownBackend(name: string): HearthError {
  return new HearthError('bad_request', `unknown backend ${JSON.stringify(name)}: choose ${families.join(' or ')}`);
}
