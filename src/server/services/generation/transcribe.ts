// Writes down speech.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import type { TokenMeter } from '../../../base/request/token-meter.ts';
import { nanosecondsPerMillisecond, nanosecondsPerSecond } from '../../../base/time/duration.ts';
import { checkAudio } from '../../../formats/speech/check-audio.ts';
import type { SpeechRequest, TranscriptEvent } from '../../../inference/model/transcript.ts';
import { type GenerationServices, type ModelInput, prepareModel } from './prepare-model.ts';

interface TranscribeInput extends ModelInput, Omit<SpeechRequest, 'audio'> {
  readonly audio: Buffer;
}

export type TranscribeAudio = (
  input: Reported<TranscribeInput>,
  signal: AbortSignal,
) => AsyncGenerator<TranscriptEvent>;

export function createTranscribe(services: GenerationServices): TranscribeAudio {
  const { clock, logger, observer } = services;
  return async function* transcribe(input, signal) {
    const startedAt = clock.monotonic();
    checkAudio(input.audio, input.maxSeconds);
    const model = await prepareModel(services, { ...input, startedAt });
    const usage = input.report.openCount();
    try {
      if (model.transcribe === undefined) {
        const message = `"${input.model.text}" is not a speech model. Create one FROM a file of whisper.cpp, such as ggml-base.bin.`;
        throw new HearthError('unsupported', message);
      }
      const meter = await services.openMeter({ promptBytes: 0, answerTokens: undefined });
      try {
        await model.load(signal);
        observer.waited(model.name, (clock.monotonic() - startedAt) / nanosecondsPerSecond);
        const { audio, translates, language, prompt, temperature, maxSeconds } = input;
        const request = { audio, translates, language, prompt, temperature, maxSeconds };
        let isExhausted = false;
        for await (const event of model.transcribe(request, signal)) {
          if (event.type === 'segment') {
            // As in answers, what has used up the quota is passed on. A transcript without its end must not look like a whole one.
            if (isExhausted) throw await quotaError(services, meter);
            usage.generatedTokens += event.segment.tokens.length;
            isExhausted = !meter.count(usage.generatedTokens);
          } else {
            const ms = Math.round((clock.monotonic() - startedAt) / nanosecondsPerMillisecond);
            logger.info('transcribed', { model: model.name, seconds: Math.round(event.seconds), ms });
          }
          yield event;
        }
      } finally {
        meter.close();
      }
    } finally {
      model.release();
    }
  };
}

/** What the quota says to a caller who begins a request now. */
async function quotaError({ openMeter }: GenerationServices, meter: TokenMeter): Promise<unknown> {
  meter.close();
  try {
    (await openMeter({ promptBytes: 0, answerTokens: 0 })).close();
    return new HearthError('rate_limited', 'the tokens of this day were used up during the transcript');
  } catch (error) {
    return error;
  }
}
