// Gives a model a second name. Nothing but the manifest is copied.

import { HearthError } from '../../../base/errors.ts';
import { type ModelName, parseModelName } from '../../../models/name.ts';
import type { Store } from '../../../models/store/store.ts';

export async function copyModel(store: Store, source: string, destination: string): Promise<void> {
  const from = parseOr(source, `source "${source}" is invalid`);
  const to = parseOr(destination, `destination "${destination}" is invalid`);
  if (!(await store.copyModel(from, to))) throw new HearthError('model_not_found', `model "${source}" not found`);
}

function parseOr(text: string, message: string): ModelName {
  try {
    return parseModelName(text);
  } catch {
    throw new HearthError('bad_request', message);
  }
}
