// The process of a speech model: `speech-program.js <speech order as JSON>`. Commands come and messages leave on file
// descriptor 3. Requests take turns with windows of half a minute, so that a long recording does not delay a short one.

import { Socket } from 'node:net';
import { HearthError, messageOf } from '../../base/errors.ts';
import { lowerPriority, prioritySteps } from '../../base/process/lower-priority.ts';
import { createFrameReader, encodeFrame } from '../../inference/protocol/frames.ts';
import { endWithServer } from '../../inference/runner/sandbox/end-with-server.ts';
import { maxCommandBytes, type SpeechCommand, type SpeechMessage, type SpeechOrder } from './speech-messages.ts';
import { type LoadedWhisper, Transcriber } from './transcriber.ts';
import { openWhisper } from './whisper-api.ts';

const channelDescriptor = 3;

function load({ modelPath, threads }: SpeechOrder): LoadedWhisper {
  const api = openWhisper();
  // Flash attention of this build is slower on the CPU.
  const whisper = api.open(modelPath, { ...api.contextDefaults(), use_gpu: false, flash_attn: false });
  if (whisper === null) throw new HearthError('load_failed', 'the file is not a model that whisper.cpp can load');
  return { api, whisper, threads };
}

interface QueuedTranscript {
  readonly id: number;
  readonly transcriber: Transcriber;
}

class SpeechQueue {
  readonly #model: LoadedWhisper;
  readonly #send: (message: SpeechMessage) => void;
  readonly #waiting: QueuedTranscript[] = [];
  #running: QueuedTranscript | undefined;

  constructor(model: LoadedWhisper, send: (message: SpeechMessage) => void) {
    this.#model = model;
    this.#send = send;
  }

  add({ id, audio, ...request }: Extract<SpeechCommand, { type: 'transcribe' }>): void {
    try {
      const file = Buffer.from(audio, 'base64');
      this.#waiting.push({ id, transcriber: new Transcriber(this.#model, { ...request, audio: file }) });
      void this.#work();
    } catch (error) {
      this.#fail(id, error);
    }
  }

  cancel(id: number): void {
    if (this.#running?.id === id) this.#running.transcriber.cancel();
    const index = this.#waiting.findIndex((entry) => entry.id === id);
    if (index !== -1) this.#waiting.splice(index, 1)[0]?.transcriber.close();
  }

  async #work(): Promise<void> {
    if (this.#running !== undefined) return;
    for (;;) {
      const entry = this.#waiting.shift();
      this.#running = entry;
      if (entry === undefined) return;
      const isDone = await this.#step(entry);
      if (isDone || entry.transcriber.isCanceled) entry.transcriber.close();
      else this.#waiting.push(entry);
    }
  }

  async #step({ id, transcriber }: QueuedTranscript): Promise<boolean> {
    try {
      const events = await transcriber.next();
      for (const event of events) this.#send({ type: 'event', id, event });
      this.#send({ type: 'progress' });
      return events.some(({ type }) => type === 'done');
    } catch (error) {
      this.#fail(id, error);
      return true;
    }
  }

  #fail(id: number, error: unknown): void {
    const isRefused = error instanceof HearthError && error.code === 'bad_request';
    this.#send({ type: 'error', id, message: messageOf(error), isRefused });
  }
}

function main(): void {
  endWithServer();
  // Chats wait for their models, and so do transcripts, but these have more to do.
  lowerPriority(prioritySteps.conversion);
  const channel = new Socket({ fd: channelDescriptor });
  const send = (message: SpeechMessage): void => void channel.write(encodeFrame(message));
  channel.on('error', () => process.exit(1)).on('end', () => process.exit(0));
  try {
    const queue = new SpeechQueue(load(JSON.parse(process.argv[2] ?? '') as SpeechOrder), send);
    const onFrame = (value: unknown): void => {
      const command = value as SpeechCommand;
      if (command.type === 'transcribe') queue.add(command);
      else queue.cancel(command.id);
    };
    channel.on('data', createFrameReader({ maxBytes: maxCommandBytes, onFrame, onInvalid: () => process.exit(1) }));
    send({ type: 'loaded' });
  } catch (error) {
    send({ type: 'failed', message: messageOf(error) });
  }
}

main();
