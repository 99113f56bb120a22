// hearth verify [--repair]: the server verifies its store; without a server, this process does.

import { ClientError } from '../../client/client-error.ts';
import type { VerifyResponseBody } from '../../server/dialects/hearth/status/verify-schema.ts';
import { type CliContext, type CommandSpec, exitCodes } from '../command.ts';
import { safeLine } from '../output/format.ts';

export const verifyCommand: CommandSpec = {
  name: 'verify',
  summary: 'Verify the model store',
  description:
    'Reads every file in the store and reports files that are damaged, missing, orphaned or left over. If a server is running, the server verifies its store; otherwise, or with --models, this command reads the store itself.',
  options: [
    { flags: '--repair', help: 'Remove files that are damaged, orphaned or left over' },
    { flags: '--models <path>', help: 'Verify the store in this folder', completes: 'file' },
  ],
  examples: ['hearth verify', 'hearth verify --repair', 'hearth verify --models ~/backup/models'],
  async execute(context, { options }) {
    const repair = options['repair'] === true;
    const models = options['models'] as string | undefined;
    const findings = models === undefined ? verifyOnServer(context, repair) : verifyHere(context, repair, models);
    return (await report(context, findings, repair)) ? exitCodes.success : exitCodes.failure;
  },
};

async function* verifyOnServer(context: CliContext, repair: boolean): AsyncGenerator<VerifyResponseBody> {
  try {
    yield* context.client().verify({ repair }, context.signal);
  } catch (error) {
    if (!(error instanceof ClientError) || error.kind !== 'unreachable') throw error;
    yield* verifyHere(context, repair);
  }
}

/** In this process. `models` is the folder as typed; absent, the folder of the settings is verified. */
async function* verifyHere(
  { loadSetting }: CliContext,
  repair: boolean,
  models?: string,
): AsyncGenerator<VerifyResponseBody> {
  const { verifyStore } = await import('../../models/store/verify.ts');
  const { toVerifyResponses } = await import('../../server/dialects/hearth/status/verify-schema.ts');
  yield* toVerifyResponses(verifyStore(loadSetting('models', models), { repair }));
}

/** Resolves to true if the store has no defects, or if all were repaired. */
async function report(
  { terminal, clock }: CliContext,
  findings: AsyncIterable<VerifyResponseBody>,
  repair: boolean,
): Promise<boolean> {
  const { stdout, stderr } = terminal;
  const { showProgress } = await import('../progress/show-progress.ts');
  let intact = true;
  const lines: string[] = [];
  // Progress would only add a line to a log.
  const progress = stderr.canRedraw ? showProgress({ screen: stderr, clock }) : undefined;
  progress?.update({ status: 'verifying the store' });
  try {
    for await (const finding of findings) {
      if (finding.status === 'success') lines.push(summarize(finding.counts));
      else if (finding.status !== 'ok') lines.push(describe(finding));
      intact &&= isIntact(finding);
    }
  } finally {
    progress?.end();
  }
  for (const line of lines) stdout.write(`${safeLine(line)}\n`);
  if (!intact && !repair)
    stdout.write('Run `hearth verify --repair` to remove files that are damaged, orphaned or left over.\n');
  return intact;
}

function isIntact(finding: VerifyResponseBody): boolean {
  if (finding.status === 'ok' || finding.status === 'success') return true;
  if (finding.status === 'missing' || finding.status === 'unreadable') return false;
  return finding.removed;
}

function summarize(counts: Readonly<Record<string, number>>): string {
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
