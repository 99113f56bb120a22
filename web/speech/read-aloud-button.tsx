// A button that reads an answer aloud with the voices of the browser. It is not shown where there are none.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../language/language.ts';
import { IconButton } from '../ui/icon.tsx';

const synthesis: SpeechSynthesis | undefined = globalThis.speechSynthesis;
// Some browsers load their voices later.
const hasVoices = signal(false);
const findVoices = (): void => {
  hasVoices.value = (synthesis?.getVoices().length ?? 0) > 0;
};
synthesis?.addEventListener('voiceschanged', findVoices);
findVoices();

/** The id of the message that is being read; empty if there is none. */
const readId = signal('');

export function ReadAloudButton({ id, text }: { readonly id: string; readonly text: string }) {
  const stop = (): void => {
    if (readId.peek() !== id) return;
    readId.value = '';
    synthesis?.cancel();
  };
  useEffect(() => stop, [id]);
  if (!hasVoices.value || text === '') return null;
  if (readId.value === id) return <IconButton icon="stop" label={t('Stop reading')} onClick={stop} />;
  const read = async (): Promise<void> => {
    const { speak } = await import('./speak.ts');
    readId.value = id;
    speak(text, () => {
      // Another message may be read by now.
      if (readId.peek() === id) readId.value = '';
    });
  };
  return <IconButton icon="sound" label={t('Read aloud')} onClick={() => void read().catch(() => {})} />;
}
