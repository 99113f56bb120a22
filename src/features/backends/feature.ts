// hearth devices, hearth backend add, list, remove: the devices of the server and GPU backends of this machine.

import { HearthError } from '../../base/errors.ts';
import type { CommandSpec } from '../../cli/command.ts';
import { safeLine } from '../../cli/output/format.ts';
import { formatTable, tableWidth } from '../../cli/output/table.ts';
import type { Feature } from '../feature.ts';
import { devicesCommand } from './devices-command.ts';

const families = ['cuda', 'vulkan'] as const;

const addCommand: CommandSpec = {
  name: 'add',
  summary: 'Download and install a backend',
  description:
    'cuda is for NVIDIA GPUs; the build is chosen by driver and compute capability. vulkan is for GPUs of AMD, Intel and NVIDIA. npm, as it is configured on this machine, finds the packages for text and for vision models; they are downloaded into the folder of HEARTH_BACKENDS (default ~/.hearth/backends). For cuda, pip finds the libraries of the CUDA runtime on PyPI; all backends share them. A running server uses the backend for models that it loads from then on.',
  arguments: [{ name: 'backend', required: true, completes: families }],
  options: [{ flags: '--system', help: "Use the CUDA libraries of the system, and remove Hearth's" }],
  examples: ['hearth backend add cuda', 'hearth backend add cuda --system', 'hearth backend add vulkan'],
  async execute({ terminal, clock, signal, loadSetting }, { words: [word = ''], options }) {
    const family = families.find((name) => name === word);
    const usesSystem = options['system'] === true;
    if (usesSystem && family === 'vulkan') throw new HearthError('bad_request', '--system is for cuda');
    if (family === undefined)
      throw new HearthError('bad_request', `unknown backend ${JSON.stringify(word)}: choose ${families.join(' or ')}`);
    const { followStatuses } = await import('../../cli/progress/show-progress.ts');
    const { addBackend } = await import('./manage-backends.ts');
    const added = addBackend(family, { folder: loadSetting('backends'), usesSystem, signal });
    await followStatuses(added, { screen: terminal.stderr, clock });
    terminal.stdout.write('`hearth devices` shows whether it works.\n');
  },
};

const listCommand: CommandSpec = {
  name: 'list',
  alias: 'ls',
  summary: 'List the backends on this machine',
  examples: ['hearth backend list'],
  async execute({ terminal: { stdout }, loadSetting }) {
    const { listBackends } = await import('./manage-backends.ts');
    const rows = listBackends(loadSetting('backends')).map((row) => row.map(safeLine));
    const head = ['NAME', 'VERSION', 'ORIGIN', 'FOLDER'];
    stdout.write(formatTable(head, rows, { optional: ['ORIGIN'], width: tableWidth(stdout) }));
  },
};

const removeCommand: CommandSpec = {
  name: 'remove',
  alias: 'rm',
  summary: 'Remove an installed backend',
  arguments: [{ name: 'backend', required: true, completes: 'nothing' }],
  examples: ['hearth backend remove vulkan'],
  async execute({ terminal, loadSetting }, { words: [name = ''] }) {
    const { removeInstalled } = await import('./manage-backends.ts');
    if (!(await removeInstalled(name, loadSetting('backends'))))
      throw new HearthError(
        'bad_request',
        `the backend ${JSON.stringify(name)} is not installed: see \`hearth backend list\``,
      );
    terminal.stdout.write(`removed ${safeLine(name)}\n`);
  },
};

export const backendsFeature: Feature = {
  checks: async () => (await import('./checks.ts')).backendChecks,
  commands: [
    devicesCommand,
    {
      name: 'backend',
      summary: 'Install GPU backends',
      examples: ['hearth backend list'],
      commands: [addCommand, listCommand, removeCommand],
    },
  ],
};
