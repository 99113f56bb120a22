// A transcript in the formats of OpenAI's API.

import { deflateSync } from 'node:zlib';
import type { TranscriptSegment } from '../../../../inference/model/transcript.ts';
import type { VerboseTranscriptBody } from './transcriptions-schema.ts';

export interface Transcript {
  readonly segments: readonly TranscriptSegment[];
  /** The English name of the language. */
  readonly language: string;
  readonly seconds: number;
}

export function transcriptText({ segments }: Pick<Transcript, 'segments'>): string {
  return segments
    .map(({ text }) => text)
    .join('')
    .trim();
}

export function toSrt({ segments }: Pick<Transcript, 'segments'>): string {
  const blocks = segments.map(
    ({ start, end, text }, index) => `${index + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${oneLine(text)}\n`,
  );
  return blocks.join('\n');
}

export function toVtt({ segments }: Pick<Transcript, 'segments'>): string {
  const blocks = segments.map(
    ({ start, end, text }) => `${clock(start, '.')} --> ${clock(end, '.')}\n${oneLine(text)}\n`,
  );
  return `WEBVTT\n\n${blocks.join('\n')}`;
}

// An arrow is a time in both formats, and an empty line ends a text.
function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ').replaceAll('-->', '->');
}

function clock(seconds: number, point: string): string {
  const milliseconds = Math.round(seconds * 1000);
  const part = (unit: number, size: number, digits = 2): string =>
    String(Math.floor(milliseconds / unit) % size).padStart(digits, '0');
  return `${part(3_600_000, 100)}:${part(60_000, 60)}:${part(1000, 60)}${point}${part(1, 1000, 3)}`;
}

interface VerboseOptions {
  readonly task: 'transcribe' | 'translate';
  readonly temperature: number;
  readonly words: boolean;
  readonly segments: boolean;
}

export function toVerbose(transcript: Transcript, options: VerboseOptions): VerboseTranscriptBody {
  const { language, seconds, segments } = transcript;
  const round = (value: number): number => Math.round(value * 1000) / 1000;
  return {
    task: options.task,
    language,
    duration: round(seconds),
    text: transcriptText(transcript),
    ...(options.words
      ? {
          words: segments
            .flatMap(({ words }) => words)
            .map(({ text, start, end }) => ({ word: text, start: round(start), end: round(end) })),
        }
      : {}),
    ...(options.segments
      ? {
          segments: segments.map(({ text, start, end, tokens, logprob, noSpeech }, id) => ({
            id,
            seek: Math.round(start * 100),
            start: round(start),
            end: round(end),
            text,
            tokens: [...tokens],
            temperature: options.temperature,
            avg_logprob: logprob,
            compression_ratio: ratioOf(text),
            no_speech_prob: noSpeech,
          })),
        }
      : {}),
    usage: { type: 'duration', seconds: Math.ceil(seconds) },
  };
}

/** As in Whisper: repetitions make it large. */
function ratioOf(text: string): number {
  const bytes = Buffer.from(text);
  return Math.round((bytes.length / deflateSync(bytes).length) * 1000) / 1000;
}
