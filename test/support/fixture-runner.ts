// Runners that misbehave, with one fault each.

import { repository } from './repository.ts';

export function fixtureRunner(name: string): string {
  return repository(`test/fixtures/runners/${name}.mjs`);
}
