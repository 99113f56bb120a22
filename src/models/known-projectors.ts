// Projectors of which more is known than their files say, by their `general.name`.

interface KnownProjector {
  /** What the projector recognizes. Others recognize what is on photographs. */
  readonly sees: string;
  /** Bars make an image square, in the color of its edge. llama.cpp's bars are gray, as LLaVA was trained. */
  readonly hasPlainBars: boolean;
}

const knownProjectors: ReadonlyMap<unknown, KnownProjector> = new Map([
  [
    'Ember eyes',
    {
      sees: 'drawn shapes (circles, squares, triangles, crosses) on square pictures, nothing else',
      hasPlainBars: true,
    },
  ],
]);

export function findKnownProjector(name: unknown): KnownProjector | undefined {
  return knownProjectors.get(name);
}
