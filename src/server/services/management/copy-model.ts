// Gives a model a second name. Only the manifest is copied.

import { HearthError } from '../../../base/errors.ts';
import type { ModelName, RequestedModel } from '../../../models/name.ts';
import type { Store } from '../../../models/store/store.ts';

export async function copyModel(store: Store, source: RequestedModel, destination: ModelName): Promise<void> {
  if (!(await store.copyModel(source.name, destination)))
    throw new HearthError('model_not_found', `model "${source.text}" not found`);
}
