// hearth usage

import { nanosecondsPerMillisecond } from '../../base/time/duration.ts';
import type { CommandSpec } from '../../cli/command.ts';
import { formatElapsed, formatJson, safeLine } from '../../cli/output/format.ts';
import { formatTable, tableWidth } from '../../cli/output/table.ts';
import type { Feature } from '../feature.ts';
import { type UsageResponseBody, usageGroupingNames } from './usage-schema.ts';

const usageCommand: CommandSpec = {
  name: 'usage',
  summary: 'Sum up requests and tokens',
  description:
    'Counts the requests that ran a model. With keys, a key sees its own requests, and an admin key sees all of them. Days are in UTC.',
  options: [
    { flags: '--by <what>', help: 'Group by key, model, day or alias (default: model)', choices: usageGroupingNames },
    { flags: '--since <time>', help: 'A period such as 12h, 7d or 4w, or a date such as 2026-11-01' },
    { flags: '--json', help: 'Print the response of the API as JSON' },
  ],
  examples: ['hearth usage', 'hearth usage --by day --since 7d'],
  async execute({ connect, terminal, signal }, { options }) {
    const { by, since, json } = options as Readonly<Record<string, string | true | undefined>>;
    const textOf = (value: string | true | undefined): string | undefined =>
      typeof value === 'string' ? value : undefined;
    const usage = await (await connect()).usage({ by: textOf(by), since: textOf(since) }, signal);
    terminal.stdout.write(json === true ? formatJson(usage) : formatUsage(usage, tableWidth(terminal.stdout)));
  },
};

export const usageFeature: Feature = { commands: [usageCommand] };

export function formatUsage({ by, groups, total }: UsageResponseBody, width?: number): string {
  if (groups.length === 0) return 'No requests were recorded.\n';
  const rows = groups.map(({ name, ...sum }) => rowOf(name === '' ? `no ${by}` : safeLine(name), sum));
  return formatTable(
    [by.toUpperCase(), 'REQUESTS', 'FAILED', 'PROMPT', 'CACHED', 'GENERATED', 'TIME'],
    [...rows, ...(groups.length > 1 ? [rowOf('total', total)] : [])],
    { optional: ['TIME', 'CACHED', 'FAILED'], width },
  );
}

function rowOf(name: string, sum: UsageResponseBody['total']): string[] {
  return [
    name,
    String(sum.requests),
    String(sum.failed),
    String(sum.prompt_tokens),
    String(sum.cached_tokens),
    String(sum.generated_tokens),
    formatElapsed(sum.duration_ms * nanosecondsPerMillisecond),
  ];
}
