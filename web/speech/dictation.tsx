// The controls of a dictation: the button, the time of the recording, and buttons that end it.

import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { errorText, requestJson } from '../api/request.ts';
import { t } from '../language/language.ts';
import { IconButton } from '../ui/icon.tsx';
import { insertWords } from './insert-words.ts';
import { recordWav } from './record.ts';

export interface DictationProps {
  readonly text: Signal<string>;
  readonly field: { readonly current: HTMLTextAreaElement | null };
  readonly problem: Signal<string>;
  /** Called when the text has changed. */
  readonly onWritten: () => void;
}

type Phase = 'idle' | 'starting' | 'recording' | 'transcribing';

interface Run {
  readonly stop: AbortController;
  readonly cancel: AbortController;
}

// As WAV, this is less than the server accepts by default.
const maxSeconds = 600;

export function Dictation({ model, ...props }: DictationProps & { readonly model: string }) {
  const { phase, seconds, start, stop, cancel } = useDictation(model, props);
  const current = phase.value;
  useEffect(() => (current === 'idle' ? undefined : onEscape(cancel)), [current]);
  // The first button stays the same element, so that it keeps the focus.
  return (
    <span class="dictation">
      {current === 'idle' ? (
        <IconButton icon="microphone" label={t('Dictate')} onClick={() => void start()} />
      ) : current === 'recording' ? (
        <IconButton icon="check" label={t('End the recording')} onClick={stop} />
      ) : (
        <IconButton icon="close" label={t('Cancel the recording (Esc)')} onClick={cancel} />
      )}
      {current === 'recording' ? (
        <>
          <IconButton icon="close" label={t('Cancel the recording (Esc)')} onClick={cancel} />
          <span class="recording-time" role="timer">
            {formatTime(seconds.value)}
          </span>
        </>
      ) : null}
      <output class={current === 'recording' ? 'visually-hidden' : ''}>{phaseText(current)}</output>
    </span>
  );
}

/** A dictation ends with its component, and when another text is written. */
function useDictation(model: string, { text, field, problem, onWritten }: DictationProps) {
  const phase = useSignal<Phase>('idle');
  const seconds = useSignal(0);
  const running = useRef<Run | undefined>(undefined);
  const cancel = (): void => {
    running.current?.cancel.abort();
    running.current = undefined;
    phase.value = 'idle';
  };
  useEffect(() => cancel, [text]);
  const write = (words: string): void => {
    const length = text.peek().length;
    const { selectionStart: start = length, selectionEnd: end = length } = field.current ?? {};
    const inserted = insertWords(text.peek(), { start, end }, words);
    text.value = inserted.text;
    // The field may get the text later, which would move the cursor to its end.
    if (field.current !== null) field.current.value = inserted.text;
    field.current?.setSelectionRange(inserted.cursor, inserted.cursor);
    onWritten();
  };
  const start = async (): Promise<void> => {
    const run = { stop: new AbortController(), cancel: new AbortController() };
    running.current = run;
    problem.value = '';
    phase.value = 'starting';
    const signals = { stop: run.stop.signal, cancel: run.cancel.signal };
    const onSecond = (count: number): void => {
      phase.value = 'recording';
      seconds.value = count;
    };
    try {
      const recording = await recordWav({ ...signals, maxSeconds, onSecond });
      phase.value = 'transcribing';
      const words = await transcribe(model, recording, signals.cancel);
      if (words === '') problem.value = t('No speech was recognized.');
      else write(words);
    } catch (error) {
      if (!signals.cancel.aborted) problem.value = describeProblem(error);
    }
    if (running.current === run) cancel();
  };
  return { phase, seconds, start, cancel, stop: () => running.current?.stop.abort() };
}

async function transcribe(model: string, recording: Blob, signal: AbortSignal): Promise<string> {
  const body = new FormData();
  body.append('model', model);
  body.append('file', recording, 'dictation.wav');
  const path = '/v1/audio/transcriptions';
  const { text } = await requestJson<{ readonly text: string }>(path, { method: 'POST', body, signal });
  signal.throwIfAborted();
  return text.trim();
}

/** Before the shortcuts of the page, one of which stops the answer. */
function onEscape(run: () => void): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const isOther = event.isComposing || document.querySelector('dialog[open], .menu-open') !== null;
    if (event.key !== 'Escape' || isOther) return;
    event.preventDefault();
    run();
  };
  document.addEventListener('keydown', onKey, { capture: true });
  return () => document.removeEventListener('keydown', onKey, { capture: true });
}

function phaseText(phase: Phase): string {
  if (phase === 'starting') return t('Waiting for the microphone …');
  if (phase === 'recording') return t('Recording');
  return phase === 'transcribing' ? t('Writing down what you said …') : '';
}

function describeProblem(error: unknown): string {
  switch (error instanceof DOMException ? error.name : '') {
    case 'NotAllowedError':
      return t('This page may not use the microphone. Allow it in the settings of the browser.');
    case 'NotFoundError':
      return t('The browser finds no microphone.');
    case 'NotReadableError':
      return t('The microphone cannot be used. Another program may be using it.');
    case 'EncodingError':
      return t('Nothing was recorded.');
    default:
      return errorText(error);
  }
}

function formatTime(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
