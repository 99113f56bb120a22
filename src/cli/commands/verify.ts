// hearth verify [--repair]: asks the server to look its store through; without a server, looks itself.

import { ClientError } from '../../client/client-error.ts';
import type { VerifyResponseBody } from '../../server/dialects/ollama/models/verify-schema.ts';
import { type CliContext, type CommandSpec, exitCodes } from '../command.ts';
import { safeLine } from '../output/format.ts';

export interface VerifyStoreOptions {
  /** A folder as typed; otherwise the one of the settings. */
  readonly models: string | undefined;
  readonly repair: boolean;
}

export type VerifyStore = (options: VerifyStoreOptions) => AsyncIterable<VerifyResponseBody>;

export function verifyCommand(verifyStore: VerifyStore): CommandSpec {
  return {
    name: 'verify',
    summary: 'Read every file of the store again and say what is damaged, missing or left over',
    description: 'Asks the server where one runs. With --models, or without a server, it reads the store itself.',
    options: [
      { flags: '--repair', help: 'remove what is damaged, orphaned or left over' },
      { flags: '--models <path>', help: 'a store of which no server needs to know', completes: 'file' },
    ],
    examples: ['hearth verify', 'hearth verify --repair', 'hearth verify --models /mnt/backup/models'],
    async execute(context, { options }) {
      const repair = options['repair'] === true;
      const models = options['models'] as string | undefined;
      const itself = (): AsyncIterable<VerifyResponseBody> => verifyStore({ models, repair });
      const findings = models === undefined ? askServer(context, repair, itself) : itself();
      return (await report(context, findings, repair)) ? exitCodes.done : exitCodes.failed;
    },
  };
}

async function* askServer(
  { client, signal }: CliContext,
  repair: boolean,
  otherwise: () => AsyncIterable<VerifyResponseBody>,
): AsyncGenerator<VerifyResponseBody> {
  try {
    yield* client().verify({ repair }, signal);
  } catch (error) {
    if (!(error instanceof ClientError) || error.kind !== 'unreachable') throw error;
    yield* otherwise();
  }
}

/** Resolves with whether everything is as it should be, or is now. */
async function report(
  { terminal, clock }: CliContext,
  findings: AsyncIterable<VerifyResponseBody>,
  repair: boolean,
): Promise<boolean> {
  const { stdout, stderr } = terminal;
  const { showProgress } = await import('../progress/show-progress.ts');
  let sound = true;
  const lines: string[] = [];
  // In a log it would only be a line more.
  const progress = stderr.canRedraw ? showProgress({ screen: stderr, clock }) : undefined;
  progress?.update({ status: 'reading every file of the store' });
  try {
    for await (const finding of findings) {
      if (finding.status === 'success') lines.push(summarise(finding.counts));
      else if (finding.status !== 'ok') lines.push(describe(finding));
      sound &&= isSound(finding);
    }
  } finally {
    progress?.end();
  }
  for (const line of lines) stdout.write(`${safeLine(line)}\n`);
  if (!sound && !repair) stdout.write('`hearth verify --repair` removes what is damaged, orphaned or left over\n');
  return sound;
}

function isSound(finding: VerifyResponseBody): boolean {
  if (finding.status === 'ok' || finding.status === 'success') return true;
  if (finding.status === 'missing' || finding.status === 'unreadable') return false;
  return finding.removed;
}

function summarise(counts: Readonly<Record<string, number>>): string {
  const summary = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  return summary.length === 0 ? 'the store is empty' : summary.join(', ');
}

function describe(finding: Exclude<VerifyResponseBody, { readonly status: 'success' }>): string {
  const kind = finding.status.padEnd(11);
  if (finding.status === 'unreadable') return `${kind} ${finding.path}: ${finding.reason}`;
  const removed = finding.removed ? ', removed' : '';
  if (finding.status === 'leftover') return `${kind} ${finding.path}${removed}`;
  const users = finding.models.length > 0 ? ` of ${finding.models.join(', ')}` : '';
  return `${kind} ${finding.digest}${users}${removed}`;
}
