// `hearth verify [--repair]`: looks at a store without a server, and says what it found.

import { HearthError } from './kernel/errors.ts';
import { type Finding, verifyStore } from './store/verify.ts';

export interface VerifyCommand {
  readonly root: string;
  readonly repair: boolean;
  readonly say: (text: string) => void;
}

/** Returns whether everything is as it should be, or is now. */
export async function verifyCommand({ root, repair, say }: VerifyCommand): Promise<boolean> {
  const counts = new Map<Finding['kind'], number>();
  let sound = true;
  for await (const finding of verifyStore(root, { repair })) {
    counts.set(finding.kind, (counts.get(finding.kind) ?? 0) + 1);
    if (finding.kind === 'ok') continue;
    say(describe(finding));
    if (finding.kind === 'missing' || finding.kind === 'unreadable' || !finding.removed) sound = false;
  }
  const summary = [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
  say(summary === '' ? `${root} is empty` : summary);
  if (!sound && !repair) say('hearth verify --repair removes what is damaged, orphaned or left over');
  return sound;
}

function describe(finding: Exclude<Finding, { kind: 'ok' }>): string {
  switch (finding.kind) {
    case 'unreadable':
      return `unreadable  ${finding.path}: ${finding.reason}`;
    case 'leftover':
      return `leftover    ${finding.path}${finding.removed ? ', removed' : ''}`;
    case 'ok':
      throw new HearthError('internal', 'nothing to describe');
    default: {
      const users = finding.models.length > 0 ? ` of ${finding.models.join(', ')}` : '';
      return `${finding.kind.padEnd(11)} ${finding.digest}${users}${finding.removed ? ', removed' : ''}`;
    }
  }
}
