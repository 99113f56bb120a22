// Speech models as an engine (ADR 64). Nothing of it is loaded until a model needs it.

import { toServerFeature } from '../../server/server-feature.ts';
import type { RecordingDecoder } from './decode-recording.ts';

export const speechServer = toServerFeature({
  openEngines: ({ childSettings, scriptOf, clock, logger }) => ({
    whisper: {
      async estimate(source) {
        const { estimateSpeech } = await import('./start-speech.ts');
        return estimateSpeech(source);
      },
      async start(order, signal) {
        const { startSpeech } = await import('./start-speech.ts');
        const script = scriptOf('features/speech/speech-program');
        return startSpeech(order, { script, childSettings, clock, logger }, signal);
      },
    },
  }),
  openAudioDecoder({ childSettings, scriptOf, clock }) {
    const script = scriptOf('features/speech/decode-program');
    let decoder: Promise<RecordingDecoder> | undefined;
    const open = async (): Promise<RecordingDecoder> => {
      const { RecordingDecoder: Decoder } = await import('./decode-recording.ts');
      return new Decoder({ script, childSettings, clock });
    };
    return async (file, maxSeconds) => {
      decoder ??= open();
      return (await decoder).decode(file, maxSeconds);
    };
  },
});
