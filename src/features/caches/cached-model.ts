// Models in the folders of other programs, from the names of their files.
//
//   weights     one GGUF file, or all parts of a split one, such as model-00001-of-00003.gguf
//   projector   a file with "mmproj" in its name, in the same repository

import { basename } from 'node:path/posix';
import { type ModelName, parseModelName } from '../../models/name.ts';

/** A GGUF file in a repository. */
export interface CachedFile {
  /** Relative to the repository, with slashes. */
  readonly name: string;
  /** The file itself, not a link to it. */
  readonly path: string;
  readonly bytes: number;
  /** The time in milliseconds since the epoch. */
  readonly modifiedAt: number;
}

type CachingProgram = 'huggingface' | 'lmstudio';

export interface CachedRepository {
  readonly program: CachingProgram;
  /** `<user>/<repository>`, as on Hugging Face. */
  readonly id: string;
  readonly files: readonly CachedFile[];
}

export interface CachedModel {
  readonly program: CachingProgram;
  /** The name that `pull` accepts; undefined if the repository or the file has no such name. */
  readonly name: ModelName | undefined;
  /** In the order of the parts. */
  readonly weights: readonly CachedFile[];
  readonly projector: CachedFile | undefined;
}

/** Hugging Face serves models under these names. */
const hosts: readonly string[] = ['hf.co', 'huggingface.co'];
const isProjector = (name: string): boolean => /mmproj/i.test(name);
// Statistics for quantization, in GGUF format.
const isStatistics = (name: string): boolean => /imatrix/i.test(name);
const splitName = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/i;
const quantization =
  /(?<![a-z0-9])((?:UD-)?(?:I?Q[1-8](?:_[A-Z0-9]+)*|TQ[12]_0|BF16|FP?16|FP?32|MXFP4(?:_MOE)?))(?![a-z0-9])/gi;

export function modelsIn({ program, id, files }: CachedRepository): CachedModel[] {
  const projector = chooseProjector(files.filter(({ name }) => isProjector(name)));
  const groups = new Map<string, CachedFile[]>();
  for (const file of files) {
    if (isProjector(file.name) || isStatistics(file.name)) continue;
    const [, stem, , count] = splitName.exec(file.name) ?? [];
    const key = stem === undefined ? file.name : `${stem}/${count}`;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  const used = new Set<string>();
  return [...groups.values()].filter(isWhole).map((parts) => {
    const weights = parts.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const stem = stemOf(weights);
    const label = labelOf(stem);
    const tag = label === undefined || used.has(label) ? stem : label;
    used.add(tag);
    return { program, name: toName(id, tag), weights, projector };
  });
}

function isWhole(parts: readonly CachedFile[]): boolean {
  const count = Number(splitName.exec(parts[0]?.name ?? '')?.[3] ?? 1);
  return parts.length === count;
}

/** The file name without its number and its ending. */
function stemOf([first]: readonly CachedFile[]): string {
  const name = basename(first?.name ?? '');
  return splitName.exec(name)?.[1] ?? name.replace(/\.gguf$/i, '');
}

function labelOf(stem: string): string | undefined {
  return [...stem.matchAll(quantization)].at(-1)?.[1]?.toUpperCase();
}

function toName(id: string, tag: string): ModelName | undefined {
  try {
    return parseModelName(`${hosts[0]}/${id}:${tag}`);
  } catch {
    return undefined;
  }
}

const precisions = ['F16', 'BF16', 'F32'];

function chooseProjector(files: readonly CachedFile[]): CachedFile | undefined {
  const byPrecision = precisions.flatMap((label) => files.filter(({ name }) => labelOf(basename(name)) === label));
  return byPrecision[0] ?? files[0];
}

export function isHuggingFace({ host }: ModelName): boolean {
  return hosts.includes(host.toLowerCase());
}

/** What `latest` means on Hugging Face. */
const usualQuantization = 'Q4_K_M';

/** The model that a name means: by its quantization or its file name. Undefined if there is none, or no single one. */
export function findCached(models: readonly CachedModel[], wanted: ModelName): CachedModel | undefined {
  const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const inRepository = models.filter(
    ({ name }) => name && same(name.namespace, wanted.namespace) && same(name.model, wanted.model),
  );
  const byTag = (tag: string): CachedModel | undefined =>
    inRepository.find(({ name, weights }) => {
      const stem = stemOf(weights);
      return (name && same(name.tag, tag)) || same(stem, tag) || same(`${stem}.gguf`, tag);
    });
  if (!same(wanted.tag, 'latest')) return byTag(wanted.tag);
  return byTag(usualQuantization) ?? (inRepository.length === 1 ? inRepository[0] : undefined);
}
