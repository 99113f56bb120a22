// What a speech model writes down, in the order of the audio.

export interface SpeechRequest {
  /** A file with WAV, MP3, FLAC or Ogg Vorbis. */
  readonly audio: Uint8Array;
  /** Translate to English. */
  readonly translates: boolean;
  /** Such as `de`. Absent: the model finds out. */
  readonly language?: string | undefined;
  /** Text that precedes the audio, in the style that the transcript should have. */
  readonly prompt?: string | undefined;
  readonly temperature: number;
  /** Longer audio is refused. */
  readonly maxSeconds: number;
}

export interface TranscriptWord {
  readonly text: string;
  /** Seconds from the start of the audio. */
  readonly start: number;
  readonly end: number;
}

export interface TranscriptSegment extends TranscriptWord {
  readonly tokens: readonly number[];
  /** The mean of the log probabilities of its tokens. */
  readonly logprob: number;
  readonly noSpeech: number;
  readonly words: readonly TranscriptWord[];
}

export type TranscriptEvent =
  | { readonly type: 'segment'; readonly segment: TranscriptSegment }
  /** `seconds`: the length of the audio. */
  | { readonly type: 'done'; readonly language: string; readonly seconds: number };

export type Transcribe = (request: SpeechRequest, signal: AbortSignal) => AsyncIterable<TranscriptEvent>;
