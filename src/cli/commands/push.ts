// hearth push MODEL

import { HearthError } from '../../base/errors.ts';
import { parseModelName } from '../../models/name.ts';
import type { CommandSpec } from '../command.ts';
import { insecureOption } from '../models/pull-model.ts';
import { withModelHint } from '../output/explain.ts';
import { safeText } from '../output/format.ts';

const exampleHost = 'models.example:11435';

export const pushCommand: CommandSpec = {
  name: 'push',
  summary: 'Push a model to a registry',
  description:
    'The name says where: HOST/NAMESPACE/MODEL, or NAMESPACE/MODEL for the default registry. The key of the server must be registered there; `hearth public-key` prints it.',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [
    { flags: '--format <format>', help: 'ollama (default), or modelpack: an OCI artifact for other tools' },
    insecureOption,
  ],
  examples: [
    'hearth push ada/my-ember',
    'hearth push models.internal:5000/team/my-ember:v2',
    'hearth push ghcr.io/ada/my-ember --format modelpack',
  ],
  async execute({ connect, terminal, clock, signal }, { words: [model = ''], options }) {
    checkNamespace(model);
    const insecure = options['insecure'] === true ? { insecure: true } : {};
    const format = checkFormat(options['format']);
    const { followStatuses } = await import('../progress/show-progress.ts');
    const client = await connect();
    const statuses = client.push({ model, format, ...insecure }, signal);
    await withModelHint(client, model, followStatuses(statuses, { screen: terminal.stderr, clock }), 'list');
  },
};

/** The most common mistake, rejected before anything is read or sent. */
function checkNamespace(model: string): void {
  parseModelName(model);
  if (model.includes('/')) return;
  const name = safeText(model);
  const target = `${exampleHost}/team/${name}`;
  const message =
    `'${name}' does not say where to push: the name of a model in a registry is HOST/NAMESPACE/MODEL, ` +
    `or NAMESPACE/MODEL for the default registry. Copy the model, and push the copy:\n` +
    `  hearth cp ${name} ${target}\n  hearth push ${target}`;
  throw new HearthError('bad_request', message);
}

function checkFormat(format: unknown): 'ollama' | 'modelpack' | undefined {
  if (format === undefined || format === 'ollama' || format === 'modelpack') return format;
  throw new HearthError('bad_request', `the format must be ollama or modelpack, not '${safeText(String(format))}'`);
}
