// What several rows of the table of programs derive from the server and the model.

import type { ConfigValues, LaunchTarget } from './program.ts';

/** Programs require a key, and a server without keys accepts any. The user's keys for other services must not be sent to it. */
export const placeholderKey = 'hearth';
/** Configuration files and arguments name this variable instead of the key. */
export const launchKeyName = 'HEARTH_API_KEY';

export function keyFor({ key = placeholderKey }: LaunchTarget): string {
  return key;
}

export function keyEnvironment({ key }: LaunchTarget): Readonly<Record<string, string>> {
  return key === undefined ? {} : { [launchKeyName]: key };
}

export function openAiUrl({ url }: LaunchTarget): string {
  return `${url}/v1`;
}

export function withContext<T extends object>({ context }: LaunchTarget, entries: (context: number) => T): Partial<T> {
  return context === undefined ? {} : entries(context);
}

/** Tokens of the context that are left for an answer. */
export function answerPart(context: number): number {
  return Math.floor(context / 4);
}

export function can({ capabilities }: LaunchTarget, capability: string): boolean {
  return capabilities.includes(capability);
}

/** A model as the files of several programs describe one. */
export function modelEntry(target: LaunchTarget) {
  const { model, context } = target;
  return {
    id: model,
    name: model,
    input: can(target, 'vision') ? ['text', 'image'] : ['text'],
    reasoning: can(target, 'thinking'),
    contextWindow: context,
    maxTokens: context === undefined ? undefined : answerPart(context),
  };
}

/** In the files of Pi and of programs that build on it. Without the key. */
export function piProvider(target: LaunchTarget): ConfigValues {
  return { baseUrl: openAiUrl(target), api: 'openai-completions', models: [modelEntry(target)] };
}
