// A button that writes down what the user says. It is not shown without a speech model, or where the browser cannot record:
// browsers give pages the microphone only with TLS or on the same machine.

import { useModels } from '../api/models.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import type { DictationProps } from './dictation.tsx';

const canRecord = globalThis.navigator?.mediaDevices !== undefined && 'MediaRecorder' in globalThis;

export function DictationButton(props: DictationProps) {
  const speech = (useModels().entries.value ?? []).filter(({ capabilities }) => capabilities.includes('transcription'));
  const model = speech.find(({ state }) => state !== 'unloaded') ?? speech[0];
  return canRecord && model !== undefined ? <LoadedDictation {...props} model={model.name} /> : null;
}

function LoadedDictation(props: DictationProps & { readonly model: string }) {
  const module = useLoaded(() => import('./dictation.tsx'));
  return module === undefined ? null : <module.Dictation {...props} />;
}
