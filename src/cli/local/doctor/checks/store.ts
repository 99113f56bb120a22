// The store, quickly: manifests that cannot be read, and blobs that are missing or have the wrong size. `hearth verify`
// reads the content of every blob.

import { lstat } from 'node:fs/promises';
import type { Digest } from '../../../../base/digest.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import { formatModelName } from '../../../../models/name.ts';
import { createStoreLayout } from '../../../../models/store/files/layout.ts';
import { undefinedIfMissing } from '../../../../models/store/files/undefined-if-missing.ts';
import {
  createManifests,
  type StoredModel,
  type UnreadableManifest,
} from '../../../../models/store/manifests/manifests.ts';
import { type CheckFinding, defineCheck, ok, problem } from '../check.ts';

export interface IncompleteModel {
  readonly model: string;
  readonly defect: 'missing' | 'wrong size';
}

export interface StoreFacts {
  readonly models: number;
  readonly unreadable: readonly UnreadableManifest[];
  readonly incomplete: readonly IncompleteModel[];
}

export const storeCheck = defineCheck<StoreFacts>({
  name: 'store',
  timeLimit: 20_000,
  gather: ({ settings, clock }, signal) => readStore(settings.models, { clock, signal }),
  judge: judgeStore,
});

async function readStore(
  root: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<StoreFacts> {
  const layout = createStoreLayout(root);
  const { models, unreadable } = await createManifests(layout, clock).readAll();
  const sizes = new Map<Digest, number | undefined>();
  const sizeOf = async (digest: Digest): Promise<number | undefined> => {
    if (!sizes.has(digest)) sizes.set(digest, (await undefinedIfMissing(lstat(layout.blob(digest))))?.size);
    return sizes.get(digest);
  };
  const incomplete: IncompleteModel[] = [];
  for (const model of models) {
    signal.throwIfAborted();
    const defect = await findDefect(model, sizeOf);
    if (defect !== undefined) incomplete.push({ model: formatModelName(model.name), defect });
  }
  return { models: models.length, unreadable, incomplete };
}

async function findDefect(
  { manifest: { config, layers } }: StoredModel,
  sizeOf: (digest: Digest) => Promise<number | undefined>,
): Promise<IncompleteModel['defect'] | undefined> {
  for (const { digest, size } of [config, ...layers]) {
    const actual = await sizeOf(digest);
    if (actual === undefined) return 'missing';
    if (actual !== size) return 'wrong size';
  }
  return undefined;
}

// A damaged store can have thousands of findings.
const maxShown = 10;

export function judgeStore({ models, unreadable, incomplete }: StoreFacts): CheckFinding[] {
  const findings = [
    ...unreadable.map(({ path, reason }) =>
      problem(`the manifest ${path} cannot be used: ${reason}`, 'delete the file, and pull or create the model again'),
    ),
    ...incomplete.map(({ model, defect }) =>
      problem(
        `${model}: a file of the model ${defect === 'missing' ? 'is missing' : 'has the wrong size'}`,
        `run \`hearth verify --repair\`, then \`hearth pull ${model}\` or create it again`,
      ),
    ),
  ];
  const others = findings.length - maxShown;
  if (others > 0)
    return [...findings.slice(0, maxShown), problem(`${others} more defects`, '`hearth verify` lists all of them')];
  return findings.length > 0 ? findings : [ok(describeCount(models))];
}

function describeCount(models: number): string {
  if (models === 0) return 'no models yet; `hearth serve` installs Ember';
  return `${models === 1 ? 'one model' : `${models} models`}, all files are there (\`hearth verify\` reads them)`;
}
