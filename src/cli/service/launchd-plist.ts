// The property list of launchd.

import type { Variables } from './environment-file.ts';
import { serviceMark } from './service-manager.ts';

export type PlistValue = string | number | boolean | readonly PlistValue[] | { readonly [key: string]: PlistValue };

export interface LaunchdJob {
  readonly label: string;
  readonly command: readonly string[];
  /** launchd has no files of variables. */
  readonly variables: Variables;
  readonly logFile: string;
  /** Absent for a service of a user. */
  readonly user?: string;
}

export function formatLaunchdPlist({ label, command, variables, logFile, user }: LaunchdJob): string {
  const job: PlistValue = {
    Label: label,
    ProgramArguments: command,
    ...(user === undefined ? {} : { UserName: user }),
    EnvironmentVariables: variables,
    RunAtLoad: true,
    // Not after a stop that was asked for.
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 3,
    // Seconds. Running requests may finish (HEARTH_SHUTDOWN_GRACE).
    ExitTimeOut: 60,
    // Other types get less of the processor.
    ProcessType: 'Interactive',
    SoftResourceLimits: { NumberOfFiles: 65_536 },
    StandardOutPath: logFile,
    StandardErrorPath: logFile,
  };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by \`${serviceMark}\`, which replaces it. -->
<plist version="1.0">
${formatValue(job, '')}
</plist>
`;
}

function formatValue(value: PlistValue, indent: string): string {
  if (typeof value === 'string') return `${indent}<string>${escapeXml(value)}</string>`;
  if (typeof value === 'number') return `${indent}<integer>${value}</integer>`;
  if (typeof value === 'boolean') return `${indent}<${value}/>`;
  const inner = `${indent}  `;
  if (isList(value))
    return `${indent}<array>\n${value.map((item) => `${formatValue(item, inner)}\n`).join('')}${indent}</array>`;
  const entries = Object.entries(value).map(
    ([key, item]) => `${inner}<key>${escapeXml(key)}</key>\n${formatValue(item, inner)}\n`,
  );
  return `${indent}<dict>\n${entries.join('')}${indent}</dict>`;
}

function isList(value: PlistValue): value is readonly PlistValue[] {
  return Array.isArray(value);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}
