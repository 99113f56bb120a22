// Speech models as an engine (ADR 64). Nothing of it is loaded until a model needs it.

import { toServerFeature } from '../../server/server-feature.ts';

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
});
