// The counters of a runner since its load. This is their only list, grouped by the part of the runner that counts.

const counterNames = {
  generation: [
    'promptTokensEvaluated',
    'promptTokensCached',
    'tokensGenerated',
    'promptPasses',
    'generatePasses',
    'contextShifts',
    'slotsYielded',
    'tokensDrafted',
    'draftsAccepted',
  ],
  prefixCache: ['prefixesKept', 'prefixesEvicted'],
  prefixDisk: ['prefixFilesRead', 'prefixFilesWritten', 'prefixFilesDamaged'],
  /** Images that were encoded, and images whose encoding was cached. */
  images: ['imagesEncoded', 'imagesCached'],
  embeddings: ['textsEmbedded', 'embedTokensEvaluated', 'embedPasses'],
  ranking: ['documentsRanked', 'rankTokensEvaluated', 'rankPasses'],
} as const;

type CounterGroup = keyof typeof counterNames;
export type CountersOf<Group extends CounterGroup> = Record<(typeof counterNames)[Group][number], number>;
export type Counters = Readonly<CountersOf<CounterGroup>>;

export function zeroCounters<Group extends CounterGroup>(...groups: readonly Group[]): CountersOf<Group> {
  const entries = groups.flatMap((group) => counterNames[group].map((name) => [name, 0] as const));
  return Object.fromEntries(entries) as CountersOf<Group>;
}

export function allZeroCounters(): Counters {
  return zeroCounters(...(Object.keys(counterNames) as CounterGroup[]));
}
