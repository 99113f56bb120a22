// hearth ps

import { parseTimestamp } from '../../base/time/timestamp.ts';
import type { PullsResponseBody } from '../../server/dialects/hearth/status/pulls-schema.ts';
import type { PsResponseBody } from '../../server/dialects/ollama/status/ps-schema.ts';
import type { CommandSpec } from '../command.ts';
import { formatByteSize, formatJson, formatMoment, safeLine } from '../output/format.ts';
import { formatTable, tableWidth } from '../output/table.ts';

export const psCommand: CommandSpec = {
  name: 'ps',
  summary: 'List running models or pulls',
  options: [
    { flags: '--pulls', help: 'List the pulls of the server instead' },
    { flags: '--json', help: 'Print the response of the API as JSON' },
  ],
  examples: ['hearth ps', 'hearth ps --pulls'],
  async execute({ connect, terminal, clock, signal }, { options }) {
    const client = await connect();
    if (options['pulls'] === true) {
      const response = await client.pulls(signal);
      const width = tableWidth(terminal.stdout);
      terminal.stdout.write(options['json'] === true ? formatJson(response) : formatPulls(response.pulls, width));
      return;
    }
    const [loaded, { request_log = 0 }] = await Promise.all([client.ps(signal), client.version(signal)]);
    terminal.stdout.write(
      options['json'] === true
        ? formatJson(loaded)
        : formatLoaded(loaded.models, clock.now(), tableWidth(terminal.stdout)) +
            formatExperts(loaded.models) +
            formatRequestLog(request_log),
    );
  },
};

export function formatLoaded(models: PsResponseBody['models'], now: number, width?: number): string {
  const hasAliases = models.some(({ aliases }) => aliases !== undefined);
  return formatTable(
    ['NAME', ...(hasAliases ? ['ALIASES'] : []), 'ID', 'SIZE', 'PROCESSOR', 'CONTEXT', 'UNTIL'],
    models.map((model) => [
      safeLine(model.name),
      ...(hasAliases ? [safeLine((model.aliases ?? []).join(', '))] : []),
      safeLine(model.digest).slice(0, 12),
      model.shared_with === undefined ? formatByteSize(model.size) : 'shared',
      model.backend === 'remote' ? 'remote' : formatProcessor(model.size, model.size_vram),
      model.context_length === undefined ? '' : String(model.context_length),
      formatUntil(model, now),
    ]),
    { optional: ['ID', 'CONTEXT', 'PROCESSOR', 'SIZE', 'ALIASES'], width },
  );
}

/** Experts in main memory are why a model on a GPU is slower than it could be. */
export function formatExperts(models: PsResponseBody['models']): string {
  const lines = models.flatMap(({ name, gpu }) => {
    const count = gpu?.expert_layers_in_memory ?? 0;
    return count === 0 ? [] : [`${safeLine(name)}: experts of ${count} layers in main memory\n`];
  });
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}

export function formatPulls(pulls: PullsResponseBody['pulls'], width?: number): string {
  return formatTable(
    ['MODEL', 'STATE', 'PROGRESS', 'STATUS'],
    pulls.map(({ model, state, total, completed = 0, status, error }) => [
      safeLine(model),
      safeLine(state),
      total === undefined ? '' : `${formatByteSize(completed)}/${formatByteSize(total)}`,
      safeLine(error ?? status).replace(/ ?sha256:[0-9a-f]+/, ''),
    ]),
    { optional: ['STATUS'], width },
  );
}

/** Users must see that their prompts are kept. */
export function formatRequestLog(requests: number): string {
  if (requests === 0) return '';
  return `\nThe request log is on: the server keeps prompts and answers of the last ${requests} requests.\n`;
}

export function formatProcessor(size: number, onGpu: number): string {
  if (onGpu === 0) return '100% CPU';
  if (onGpu === size) return '100% GPU';
  if (onGpu > size || size === 0) return 'Unknown';
  const cpu = Math.round(((size - onGpu) / size) * 100);
  return `${cpu}%/${100 - cpu}% CPU/GPU`;
}

// The server reports "no limit" as a time about 300 years ahead.
const century = 100 * 365 * 86_400_000;

function formatUntil({ expires_at, state }: PsResponseBody['models'][number], now: number): string {
  if (state === 'loading') return 'Loading...';
  if (state === 'sleeping') return 'Sleeping...';
  const moment = parseTimestamp(expires_at);
  if (state === 'draining' || moment < now) return 'Stopping...';
  return moment - now > century ? 'Forever' : formatMoment(moment, now);
}
