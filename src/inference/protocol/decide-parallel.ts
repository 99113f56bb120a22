// How many requests a runner evaluates at once. The server asks too, to know how much memory that will take.

const maxByItself = 8;
const minByItself = 4;
const most = 64;
/** Contexts that take no more than this together are nobody's concern. */
const smallCache = 2 ** 30;

/** `requested` 0: eight where their contexts are small together, otherwise four, or as many of those as have room in the
 * budget. */
export function decideParallel(requested: number, bytesPerSequence: number, budget = 0): number {
  if (requested > 0) return Math.min(requested, most);
  if (maxByItself * bytesPerSequence <= smallCache) return maxByItself;
  let parallel = minByItself;
  while (parallel > 1 && parallel * bytesPerSequence > Math.max(budget, smallCache)) parallel /= 2;
  return parallel;
}
