// The unit file of systemd.

import { serviceMark } from './service-manager.ts';

export interface SystemdUnit {
  /** Absolute paths of the program and its script, and further words. */
  readonly command: readonly string[];
  readonly environmentFile: string;
  /** Absent for a service of a user. */
  readonly system?: {
    readonly user: string;
    /** Those that may use GPUs, of the groups that exist. */
    readonly gpuGroups: readonly string[];
    /** The program is in a home folder. */
    readonly readsHome: boolean;
  };
}

type Section = readonly (readonly [name: string, value: string])[];

export function formatSystemdUnit({ command, environmentFile, system }: SystemdUnit): string {
  const editCommand = `systemctl ${system === undefined ? '--user ' : ''}edit hearth`;
  const sections: readonly (readonly [string, Section])[] = [
    ['Unit', unitSection(system !== undefined)],
    [
      'Service',
      [
        ['ExecStart', command.map(quoteWord).join(' ')],
        ...(system === undefined ? [] : accountLines(system)),
        // The file is optional.
        ['EnvironmentFile', `-${escapeSpecifiers(environmentFile)}`],
        ...commonLines,
        ...(system === undefined ? [] : restrictionLines(system.readsHome)),
      ],
    ],
    ['Install', [['WantedBy', system === undefined ? 'default.target' : 'multi-user.target']]],
  ];
  const text = sections.map(
    ([name, lines]) => `[${name}]\n${lines.map(([key, value]) => `${key}=${value}\n`).join('')}`,
  );
  return `# Written by \`${serviceMark}\`, which replaces it. \`${editCommand}\` makes changes that stay.\n\n${text.join('\n')}`;
}

/** The manager of a user does not know when the network is there. */
function unitSection(isSystem: boolean): Section {
  const network = isSystem
    ? ([
        ['After', 'network-online.target'],
        ['Wants', 'network-online.target'],
      ] as const)
    : [];
  return [['Description', 'Hearth, a local model server'], ...network];
}

export const systemStateFolder = '/var/lib/hearth';

function accountLines({ user, gpuGroups }: NonNullable<SystemdUnit['system']>): Section {
  return [
    ['User', user],
    ...(gpuGroups.length === 0 ? [] : ([['SupplementaryGroups', gpuGroups.join(' ')]] as const)),
    ['StateDirectory', 'hearth'],
    ['Environment', `HOME=${systemStateFolder} HEARTH_MODELS=${systemStateFolder}/models`],
  ];
}

const commonLines: Section = [
  ['Restart', 'on-failure'],
  ['RestartSec', '3'],
  // Running requests may finish (HEARTH_SHUTDOWN_GRACE). Runners end with the server.
  ['KillMode', 'mixed'],
  ['TimeoutStopSec', '60'],
  ['LimitNOFILE', '65536'],
  ['NoNewPrivileges', 'yes'],
];

/** The server only needs its models and the network. */
function restrictionLines(readsHome: boolean): Section {
  return [
    ['ProtectSystem', 'strict'],
    ['ProtectHome', readsHome ? 'read-only' : 'yes'],
    ['PrivateTmp', 'yes'],
    ['ProtectKernelTunables', 'yes'],
    ['ProtectKernelModules', 'yes'],
    ['ProtectControlGroups', 'yes'],
    ['RestrictSUIDSGID', 'yes'],
    ['RestrictRealtime', 'yes'],
    ['LockPersonality', 'yes'],
    ['RestrictAddressFamilies', 'AF_UNIX AF_INET AF_INET6'],
  ];
}

/** systemd replaces `%h` and `$NAME`. */
function quoteWord(word: string): string {
  const escaped = escapeSpecifiers(word).replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(escaped) ? escaped : `"${escaped.replace(/["\\]/g, '\\$&')}"`;
}

function escapeSpecifiers(text: string): string {
  return text.replaceAll('%', '%%');
}
