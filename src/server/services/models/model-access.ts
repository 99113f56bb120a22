// Which models the key of the current request can see, use and change. A store that hides the others is the one place
// where this is decided: a service cannot forget it.

import { HearthError } from '../../../base/errors.ts';
import { currentRequest } from '../../../base/request/request-scope.ts';
import { matchesWildcard } from '../../../base/text/wildcard.ts';
import { defaultTag, formatModelName, type ModelName } from '../../../models/name.ts';
import type { Store } from '../../../models/store/store.ts';

/** Always true outside of requests, and without keys. */
export function mayUseModel(name: ModelName): boolean {
  const { models = [] } = currentRequest()?.key ?? {};
  return models.length === 0 || models.some((pattern) => matchesModel(pattern, name));
}

/** `llama3` is `llama3:latest`, as in all commands; `*` stands for any text. */
export function matchesModel(pattern: string, name: ModelName): boolean {
  const full = formatModelName(name).toLowerCase();
  const short = name.tag === defaultTag ? [full.slice(0, -(defaultTag.length + 1))] : [];
  return [full, ...short].some((text) => matchesWildcard(pattern.toLowerCase(), text));
}

/** Throws `missing_scope`: the caller may not create or replace this model. */
export function requireModel(name: ModelName): void {
  if (mayUseModel(name)) return;
  const message = `the key "${currentRequest()?.key?.name}" does not allow the model "${formatModelName(name)}"`;
  throw new HearthError('missing_scope', message);
}

export function hideModels(store: Store): Store {
  return {
    ...store,
    list: async () => (await store.list()).filter(({ name }) => mayUseModel(name)),
    find: async (name) => (mayUseModel(name) ? store.find(name) : undefined),
    readManifest: async (name) => (mayUseModel(name) ? store.readManifest(name) : undefined),
    async putManifest(name, manifest) {
      requireModel(name);
      return store.putManifest(name, manifest);
    },
    async copyModel(from, to) {
      if (!mayUseModel(from)) return false;
      requireModel(to);
      return store.copyModel(from, to);
    },
    removeModel: async (name) => mayUseModel(name) && store.removeModel(name),
  };
}
