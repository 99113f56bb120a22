// What a program needs and the chosen model lacks. The user may know better, so these are warnings.

import { safeLine } from '../../cli/output/format.ts';
import type { ContextBody } from '../../server/dialects/ollama/models/context-schema.ts';
import type { ShowResponseBody } from '../../server/dialects/ollama/models/show-schema.ts';
import { environmentName } from '../../settings/setting-table.ts';
import type { LaunchTarget, Program } from './program.ts';

export interface LaunchFacts extends Pick<ShowResponseBody, 'capabilities' | 'model_info'> {
  /** Why the context has its length. Ollama does not report it. */
  readonly contextSource?: ContextBody['source'] | undefined;
}

export function findWarnings(
  { title, minContext, needsTools, sendsNoKey }: Pick<Program, 'title' | 'minContext' | 'needsTools' | 'sendsNoKey'>,
  { model, context, key }: Pick<LaunchTarget, 'model' | 'context' | 'key'>,
  facts: LaunchFacts,
): string[] {
  const name = safeLine(model);
  const warnings: string[] = [];
  if (needsTools && !facts.capabilities.includes('tools'))
    warnings.push(`'${name}' does not support tools, which ${title} needs; choose another model with --model`);
  if (context !== undefined && context < minContext) {
    const next = adviseOnContext(context, minContext, facts);
    warnings.push(`the context of '${name}' has ${context} tokens, ${title} needs about ${minContext}: ${next}`);
  }
  if (sendsNoKey && key !== undefined)
    warnings.push(`${title} sends no key, and a server that needs one refuses its requests`);
  return warnings;
}

function adviseOnContext(context: number, needed: number, facts: LaunchFacts): string {
  const trained = trainedContextOf(facts);
  if (trained <= context) return 'choose a model with a longer context with --model';
  const possible = Math.min(trained, needed);
  const bySetting = `start the server with ${environmentName('contextLength')}=${possible}`;
  const byModel = `create a model with \`PARAMETER num_ctx ${possible}\``;
  switch (facts.contextSource) {
    // The automatic length leaves memory for other models.
    case 'memory':
      return `${bySetting} if the memory suffices, or choose a smaller model with --model`;
    case 'model':
      return byModel;
    case 'setting':
      return bySetting;
    default:
      return `${bySetting}, or ${byModel}`;
  }
}

/** 0 if it is unknown. */
function trainedContextOf({ model_info: info }: LaunchFacts): number {
  const length = info[`${String(info['general.architecture'])}.context_length`];
  return typeof length === 'number' ? length : 0;
}
