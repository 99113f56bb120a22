// Texts of mixed length for embeddings: many short ones and some long ones, the same for the same arguments.

const words = 'the fox runs over a frozen river while somebody in the village bakes bread and sings an old song'.split(
  ' ',
);

/** From four to about two hundred words each. */
export function mixedTexts(count: number, seed: number): string[] {
  let state = 2 * seed + 1;
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x8000_0000;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 4 + Math.floor(next() ** 2 * 200) }, () => words[Math.floor(next() * words.length)]).join(' '),
  );
}
