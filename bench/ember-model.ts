// Ember as a file, without tokens that end a text: every answer has the length that was asked for.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endlessEmber } from '../test/support/models/endless-ember.ts';

/** Returns the path of the model. */
export function emberModel(folder: string): string {
  const path = join(folder, 'ember-endless.gguf');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, endlessEmber());
  return path;
}
