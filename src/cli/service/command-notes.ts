// What may happen to the paths that a service runs.

import type { SystemCommand } from './service-host.ts';

/** Sentences for people. */
export function commandNotes(command: SystemCommand): string[] {
  const path = command.find((word) => /[/\\]_npx[/\\]/.test(word));
  if (path !== undefined)
    return [
      `${path} is in the cache of npx and can disappear. Install Hearth with \`npm install -g hearth-server\` first.`,
    ];
  const versioned = command.find((word) => /[/\\]v?\d+\.\d+(?:\.\d+)?(?=[-/\\])/.test(word));
  if (versioned === undefined) return [];
  return [`${versioned} contains a version. After an update of Node or Hearth, run \`hearth service install\` again.`];
}
