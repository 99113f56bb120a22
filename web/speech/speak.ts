// Reads a Markdown text aloud.

import { toSentences } from './to-sentences.ts';

/** Browsers forget the events of utterances that nothing refers to. */
let queue: readonly SpeechSynthesisUtterance[] = [];

/** Ends what is being read. `onEnd` is called at the end, also if this text is not read to its end. */
export function speak(text: string, onEnd: () => void): void {
  speechSynthesis.cancel();
  queue = toSentences(text).map((sentence) => {
    const utterance = new SpeechSynthesisUtterance(sentence);
    utterance.lang = navigator.language;
    utterance.onerror = onEnd;
    return utterance;
  });
  const last = queue.at(-1);
  if (last === undefined) onEnd();
  else last.onend = onEnd;
  for (const utterance of queue) speechSynthesis.speak(utterance);
}
