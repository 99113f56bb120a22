// Answers that would not end: a model repeats the same lines again and again.

const maxUnitLines = 8;
const minRepetitions = 16;
/** Short lines, such as a bracket, are repeated in good answers, too. */
const minUnitCharacters = 8;

/** Whether the complete lines at the end of a text are the same lines, repeated often. */
export function isRepeating(text: string): boolean {
  if (!text.endsWith('\n')) return false;
  const lines = text
    .slice(-40_000)
    .split('\n')
    .filter((line) => line.trim() !== '');
  for (let unit = 1; unit <= maxUnitLines; unit++) {
    const tail = lines.slice(-unit * minRepetitions);
    if (tail.length < unit * minRepetitions) return false;
    if (tail.slice(0, unit).join('').length < minUnitCharacters) continue;
    if (tail.every((line, index) => line === tail[index % unit])) return true;
  }
  return false;
}
