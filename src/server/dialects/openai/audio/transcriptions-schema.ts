// Wire schemas of transcripts.

import { type Static, Type } from 'typebox';

const Usage = Type.Object({ type: Type.Literal('duration'), seconds: Type.Integer() });
const Time = Type.Number({ description: 'Seconds from the start.' });

const TranscriptBody = Type.Object({ text: Type.String(), usage: Usage });

export const VerboseTranscriptBody = Type.Object({
  task: Type.String(),
  language: Type.String({ description: 'The English name of the language.' }),
  duration: Time,
  text: Type.String(),
  words: Type.Optional(Type.Array(Type.Object({ word: Type.String(), start: Time, end: Time }))),
  segments: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.Integer(),
        seek: Type.Integer(),
        start: Time,
        end: Time,
        text: Type.String(),
        tokens: Type.Array(Type.Integer()),
        temperature: Type.Number(),
        avg_logprob: Type.Number(),
        compression_ratio: Type.Number(),
        no_speech_prob: Type.Number(),
      }),
    ),
  ),
  usage: Usage,
});
export type VerboseTranscriptBody = Static<typeof VerboseTranscriptBody>;

export const TranscriptResponseBody = Type.Union([VerboseTranscriptBody, TranscriptBody]);

export const TranscriptEventBody = Type.Object({
  type: Type.Union([Type.Literal('transcript.text.delta'), Type.Literal('transcript.text.done')]),
  delta: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  usage: Type.Optional(Usage),
});
export type TranscriptEventBody = Static<typeof TranscriptEventBody>;
