// The order of test files. Workers that run files side by side end at about the same time only if the long files begin
// first. Vitest knows their durations from earlier runs alone, and a fresh clone had none.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

const longFiles = [
  'test/gate/static.test.ts',
  'test/e2e/fresh-clone.test.ts',
  'test/e2e/packages/pull-package.test.ts',
  'test/e2e/start-stop.test.ts',
  'test/e2e/options.test.ts',
  'test/page/chat.test.ts',
  'test/page/models.test.ts',
  'test/e2e/command-line/examples.test.ts',
  'test/contract/client-fields.test.ts',
  'test/clients/clients.test.ts',
  'test/e2e/command-line/background.test.ts',
  'test/e2e/registry/registry.test.ts',
  'test/docs/examples.test.ts',
  'test/e2e/command-line/repl.test.ts',
  'test/page/app.test.ts',
  'test/e2e/remote-faults.test.ts',
  'test/engine/embeddings.test.ts',
  'test/abuse/inflation.test.ts',
  'test/e2e/prefix-memory.test.ts',
  'test/e2e/registry/artifacts.test.ts',
  'test/e2e/crash.test.ts',
  'test/e2e/quantize.test.ts',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const index = longFiles.findIndex((file) => moduleId.endsWith(file));
  return index === -1 ? longFiles.length : index;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Files that share a worker follow each other: it ends when the next file needs another one.
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b) || a.project.name.localeCompare(b.project.name));
  }
}
