// The settings of a service: variables of the user who installs it, in a file that the user may edit.

import { childEnvironment } from '../../base/config/child-environment.ts';
import type { Environment } from '../../base/config/environment.ts';
import { withoutTrailing } from '../../base/text/without-trailing.ts';
import { environmentNames, serverSettingKeys, settingTable } from '../../settings/setting-table.ts';
import { serviceMark } from './service-manager.ts';

export type ServiceVariables = Readonly<Record<string, string>>;

// These describe the terminal in which the command runs.
const localNames: ReadonlySet<string> = new Set(['LANG', 'LC_ALL', 'TZ', 'OMP_NUM_THREADS']);

/** Settings of the server, and variables of GPU drivers. Not HEARTH_API_KEY, which is a client's key. */
export function carriedVariables(environment: Environment): ServiceVariables {
  const ofDrivers = Object.keys(childEnvironment(environment)).filter((name) => !localNames.has(name));
  const names = ['HEARTH_CONFIG', 'NODE_EXTRA_CA_CERTS', ...serverSettingKeys.flatMap(environmentNames), ...ofDrivers];
  const entries = [...new Set(names)].flatMap((name): [string, string][] => {
    const value = environment[name]?.trim();
    return value === undefined || value === '' || /[\r\n\0]/.test(value) ? [] : [[name, toAbsolute(name, value)]];
  });
  return Object.fromEntries(entries);
}

/** The service starts in another folder. */
function toAbsolute(name: string, value: string): string {
  const key = serverSettingKeys.find((candidate) => environmentNames(candidate).includes(name));
  const kind = key === undefined ? undefined : settingTable[key].kind;
  return kind?.name === 'path' ? String(kind.parse(value) ?? value) : value;
}

const head = `# Settings of the Hearth service: one variable per line. \`${serviceMark}\` adds the variables that
# are set when it runs, and leaves the others as they are. After a change, restart the service.
# docs/reference/settings.md lists all settings.
`;

/** Replaces and adds variables; other lines stay. The same variables change nothing the second time. */
export function mergeEnvironmentFile(former: string, variables: ServiceVariables): string {
  const lines = withoutTrailing(former === '' ? head : former, /\n/).split('\n');
  const rest = new Map(Object.entries(variables));
  const merged = lines.map((line) => {
    const name = /^\s*([A-Za-z_]\w*)=/.exec(line)?.[1] ?? '';
    const value = rest.get(name);
    if (value === undefined) return line;
    rest.delete(name);
    return formatVariable(name, value);
  });
  const added = [...rest].map(([name, value]) => formatVariable(name, value));
  return `${[...merged, ...added].join('\n')}\n`;
}

/** In the syntax of systemd, which shells understand too. */
function formatVariable(name: string, value: string): string {
  if (/^[\w@%+=:,./-]*$/.test(value)) return `${name}=${value}`;
  return `${name}="${value.replace(/["\\$`]/g, '\\$&')}"`;
}
