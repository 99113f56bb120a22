// From a model to a chat with it.

import type { ModelList } from '../api/models.ts';
import { navigate } from '../ui/router.ts';

export function startChat(models: Pick<ModelList, 'prefer'>, model: string): void {
  models.prefer(model);
  navigate({ view: '', id: '' });
}
