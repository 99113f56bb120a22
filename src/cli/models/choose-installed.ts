// `hearth run` without a model: offers the installed ones.

import { HearthError } from '../../base/errors.ts';
import type { CliContext } from '../command.ts';
import { safeLine } from '../output/format.ts';
import { askForModel, canAsk, type OfferedModel } from './ask-for-model.ts';

// More would hide what the message says.
const maxNames = 8;

export async function chooseInstalled({ connect, terminal, signal }: CliContext): Promise<string> {
  const { models } = await (await connect()).list(signal);
  const answering = models.filter(({ capabilities = ['completion'] }) => capabilities.includes('completion'));
  const instead = 'name one: `hearth run MODEL`';
  if (answering.length === 0)
    throw new HearthError('model_not_found', 'no model is installed: `hearth search` shows which ones there are');
  if (canAsk(terminal)) return askForModel({ terminal, models: answering, instead, signal });
  throw new HearthError(
    'bad_request',
    `no model is named, and there is no terminal to ask in; ${instead}. Installed: ${listNames(answering)}`,
  );
}

function listNames(models: readonly OfferedModel[]): string {
  const names = models.slice(0, maxNames).map(({ name }) => safeLine(name.replace(/:latest$/, '')));
  return [...names, ...(models.length > maxNames ? ['…'] : [])].join(', ');
}
