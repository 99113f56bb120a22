// The process of a speech model that is silent, with the real processes.

import { expect, test } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { RunningSpeech } from '../../src/features/speech/speech-process.ts';
import { never } from '../support/engine.ts';
import { fixtureRunner } from '../support/fixture-runner.ts';
import { isAlive } from '../support/processes.ts';
import { toneWav } from '../support/speech/random-whisper.ts';

test.skipIf(process.platform !== 'linux')('a process that says nothing and computes nothing is ended', async () => {
  const speech = new RunningSpeech({
    script: fixtureRunner('silent-speech'),
    order: { modelPath: 'model.bin', threads: 1 },
    childSettings: {},
    bytes: 0,
    clock: systemClock,
    logger: silentLogger,
    responseTimeout: 300,
  });
  await speech.loaded;
  const request = { audio: toneWav(1), translates: false, temperature: 0, maxSeconds: 10 };
  const reason = 'the process of the speech model has terminated: it did not respond';
  await expect(speech.transcribe(request, never).next()).rejects.toThrow(reason);
  expect(await speech.exited).toMatchObject({ code: 'runner_died' });
  expect(isAlive(speech.pid)).toBe(false);
});
