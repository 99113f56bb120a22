import { expect, test } from 'vitest';
import { toSrt, toVerbose, toVtt, transcriptText } from './transcript-formats.ts';

const segment = { tokens: [5], logprob: -0.5, noSpeech: 0.1 };
const transcript = {
  language: 'german',
  seconds: 3725.25,
  segments: [
    { ...segment, text: ' Guten\n\nTag.', start: 0, end: 1.5, words: [{ text: 'Guten', start: 0, end: 0.5 }] },
    { ...segment, text: ' 1 --> 2', start: 3723.0041, end: 3725.25, words: [] },
  ],
};

test('subtitles have times, and text cannot end them', () => {
  expect(toSrt(transcript)).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nGuten Tag.\n\n2\n01:02:03,004 --> 01:02:05,250\n1 -> 2\n',
  );
  expect(toVtt(transcript)).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nGuten Tag.\n\n01:02:03.004 --> 01:02:05.250\n1 -> 2\n',
  );
  expect(toVtt({ segments: [] })).toBe('WEBVTT\n\n');
});

test('the verbose form has the times that were asked for', () => {
  const options = { task: 'transcribe', temperature: 0, words: true, segments: false } as const;
  expect(toVerbose(transcript, options)).toEqual({
    task: 'transcribe',
    language: 'german',
    duration: 3725.25,
    text: transcriptText(transcript),
    words: [{ word: 'Guten', start: 0, end: 0.5 }],
    usage: { type: 'duration', seconds: 3726 },
  });
  const { words, segments } = toVerbose(transcript, { ...options, words: false, segments: true });
  expect(words).toBeUndefined();
  expect(segments?.[1]).toMatchObject({
    id: 1,
    seek: 372_300,
    start: 3723.004,
    avg_logprob: -0.5,
    no_speech_prob: 0.1,
  });
});
