// POST /v1/audio/transcriptions and /v1/audio/translations

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../../../base/logger.ts';
import type { TranscriptEvent, TranscriptSegment } from '../../../../inference/model/transcript.ts';
import { readForm } from '../../../http/receiving/read-form.ts';
import { UploadLimit } from '../../../http/receiving/upload-limit.ts';
import type { Route } from '../../../http/route.ts';
import { sendStream } from '../../../http/streaming/send-stream.ts';
import type { TranscribeAudio } from '../../../services/generation/transcribe.ts';
import { toModelInput } from '../../shared/model-input.ts';
import { openAiDialect } from '../../shared/openai-dialect.ts';
import { invalid } from '../../shared/read-fields.ts';
import { type Transcript, toSrt, toVerbose, toVtt, transcriptText } from './transcript-formats.ts';
import {
  TranscriptEventBody as EventSchema,
  type TranscriptEventBody,
  TranscriptResponseBody,
} from './transcriptions-schema.ts';

interface TranscriptionParts {
  readonly transcribe: TranscribeAudio;
  readonly audioLimits: { readonly bytes: number; readonly seconds: number };
  readonly logger: Logger;
}

type Task = 'transcribe' | 'translate';

const formats = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const;
const paths = { transcribe: '/v1/audio/transcriptions', translate: '/v1/audio/translations' } as const;
const knownFields = new Set(
  'model language prompt response_format temperature stream keep_alive timestamp_granularities[] timestamp_granularities'.split(
    ' ',
  ),
);

// A file is in memory until its transcript ends, here and in the process of the model.
const maxUploads = { client: 8, all: 16 };

export function transcriptionRoutes(parts: TranscriptionParts): Route[] {
  const uploads = new UploadLimit({ what: 'audio files', ...maxUploads });
  return [transcriptionRoute('transcribe', parts, uploads), transcriptionRoute('translate', parts, uploads)];
}

function transcriptionRoute(task: Task, parts: TranscriptionParts, uploads: UploadLimit): Route {
  return {
    dialect: openAiDialect,
    method: 'POST',
    scope: 'infer',
    path: paths[task],
    summary: task === 'transcribe' ? 'Write down speech, from a form' : 'Write down speech in English, from a form',
    metered: true,
    readsBody: true,
    response: TranscriptResponseBody,
    streams: EventSchema,
    handle: (request, reply) => uploads.use(request.scope.client, () => handle(task, parts, request, reply)),
  };
}

async function handle(
  task: Task,
  { transcribe, audioLimits, logger }: TranscriptionParts,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const form = { maxFileBytes: audioLimits.bytes, needs: 'model' };
  const { audio, fields } = await readForm(request, form, async (file) => ({
    audio: await collect(file.chunks),
    fields: file.fields,
  }));
  request.report.ignore([...fields.keys()].filter((name) => !knownFields.has(name)));
  const asked = readFields(fields, task);
  const { model, language, prompt, temperature } = asked;
  const events = transcribe(
    {
      ...toModelInput({ model, keep_alive: fields.get('keep_alive') }, { emptyIsUnknown: true }),
      ...{ audio, language, prompt, temperature, maxSeconds: audioLimits.seconds },
      translates: task === 'translate',
      report: request.report,
    },
    request.scope.signal,
  );
  if (asked.streams) return sendStream(reply, toStream(events), { dialect: openAiDialect, logger });
  return send(reply, await collectTranscript(events), { ...asked, task });
}

interface AskedTranscript {
  readonly model: string;
  readonly language: string | undefined;
  readonly prompt: string | undefined;
  readonly temperature: number;
  readonly format: (typeof formats)[number];
  readonly streams: boolean;
  readonly words: boolean;
  readonly segments: boolean;
}

function readFields(fields: ReadonlyMap<string, string>, task: Task): AskedTranscript {
  const format = formats.find((name) => name === (fields.get('response_format') ?? 'json'));
  if (format === undefined) throw invalid('response_format', `expected one of ${formats.join(', ')}`);
  const temperature = Number(fields.get('temperature') ?? 0);
  if (!(temperature >= 0 && temperature <= 1)) throw invalid('temperature', 'expected a number from 0 to 1');
  const stream = fields.get('stream') ?? 'false';
  if (!['true', 'false'].includes(stream.toLowerCase())) throw invalid('stream', 'expected true or false');
  const given = fields.get('timestamp_granularities[]') ?? fields.get('timestamp_granularities') ?? 'segment';
  const granularities = given.split(',');
  if (!granularities.every((name) => name === 'word' || name === 'segment'))
    throw invalid('timestamp_granularities', 'expected word or segment');
  const language = fields.get('language')?.toLowerCase() || undefined;
  if (language !== undefined && !/^[a-z]{2,3}$/.test(language)) throw invalid('language', 'expected a code such as en');
  return {
    model: fields.get('model') ?? '',
    language: task === 'translate' ? undefined : language,
    prompt: fields.get('prompt'),
    temperature,
    format,
    streams: stream.toLowerCase() === 'true',
    words: granularities.includes('word'),
    segments: granularities.includes('segment'),
  };
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

async function collectTranscript(events: AsyncIterable<TranscriptEvent>): Promise<Transcript> {
  const segments: TranscriptSegment[] = [];
  let end = { language: '', seconds: 0 };
  for await (const event of events) {
    if (event.type === 'segment') segments.push(event.segment);
    else end = event;
  }
  return { ...end, segments };
}

async function* toStream(events: AsyncIterable<TranscriptEvent>): AsyncGenerator<TranscriptEventBody> {
  const segments: TranscriptSegment[] = [];
  for await (const event of events) {
    if (event.type === 'segment') {
      const { text } = event.segment;
      yield { type: 'transcript.text.delta', delta: segments.length === 0 ? text.trimStart() : text };
      segments.push(event.segment);
    } else {
      const usage = { type: 'duration', seconds: Math.ceil(event.seconds) } as const;
      yield { type: 'transcript.text.done', text: transcriptText({ segments }), usage };
    }
  }
}

type Asked = AskedTranscript & { readonly task: Task };

function send(reply: FastifyReply, transcript: Transcript, asked: Asked) {
  switch (asked.format) {
    case 'json':
      return { text: transcriptText(transcript), usage: { type: 'duration', seconds: Math.ceil(transcript.seconds) } };
    case 'verbose_json':
      return toVerbose(transcript, asked);
    case 'text':
      return reply.type('text/plain; charset=utf-8').send(`${transcriptText(transcript)}\n`);
    case 'srt':
      return reply.type('text/plain; charset=utf-8').send(toSrt(transcript));
    case 'vtt':
      return reply.type('text/vtt; charset=utf-8').send(toVtt(transcript));
  }
}
