// hearth devices

import type { CommandSpec } from '../../cli/command.ts';
import { formatByteSize, formatJson, safeLine } from '../../cli/output/format.ts';
import { formatTable, tableWidth } from '../../cli/output/table.ts';
import type { DevicesResponseBody } from '../../server/dialects/hearth/status/devices-schema.ts';
import { describeUse } from './describe-use.ts';

export const devicesCommand: CommandSpec = {
  name: 'devices',
  summary: 'List CPUs and GPUs of the server',
  description:
    'Shows which backend serves each device, and the next step for a GPU that none serves, or that could be faster. The driver and the compute capability are those of NVIDIA GPUs.',
  options: [{ flags: '--json', help: 'Print the response of the API as JSON' }],
  examples: ['hearth devices'],
  async execute({ connect, terminal, signal }, { options }) {
    const found = await (await connect()).devices(signal);
    const text = options['json'] === true ? formatJson(found) : formatDevices(found, tableWidth(terminal.stdout));
    terminal.stdout.write(text);
  },
};

export function formatDevices({ devices, backends }: DevicesResponseBody, width?: number): string {
  const table = formatTable(
    ['DEVICE', 'NAME', 'MEMORY', 'FREE', 'DRIVER', 'CAPABILITY', 'BACKEND'],
    devices.map(({ kind, name, cores, total, free, driver, compute_capability, backend }) => [
      kind,
      safeLine(cores === undefined ? name : `${name}, ${cores} cores`),
      total === 0 ? '' : formatByteSize(total),
      free === 0 ? '' : formatByteSize(free),
      safeLine(driver ?? ''),
      safeLine(compute_capability ?? ''),
      safeLine(backend ?? 'none'),
    ]),
    { optional: ['FREE', 'CAPABILITY', 'DRIVER', 'MEMORY'], width },
  );
  const failures = backends.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [`The backend ${name} does not work: ${failure}`],
  );
  const steps = devices.flatMap(({ name, next_step }) =>
    next_step === undefined ? [] : [`${name} is not used. Next step: ${next_step}`],
  );
  const advice = devices.flatMap(({ name, faster }) =>
    faster === undefined ? [] : [`${name} could be faster. Next step: ${faster}`],
  );
  const notes = [describeUse(devices, backends), ...failures, ...steps, ...advice];
  return `${table}\n${notes.map((note) => `${safeLine(note)}\n`).join('')}`;
}
