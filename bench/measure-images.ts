// Streams of text while another request sends a new image every second, to the same model: Ember with the projector of ember-eyes.

import { drawPng } from '../test/support/models/draw.ts';
import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { emberModel } from './ember-model.ts';
import { median, report, rounds, settle } from './report.ts';
import { freshText, throughput, timeStream } from './server-load.ts';

const model = 'eyes';
const streams = 8;
const promptWords = 16;
const contextLength = 8192;
const probeTokens = 128;
const roundSeconds = 6;
const maxTokens = 4000;
const imageIntervalMs = 1000;
const imageSize = { width: 640, height: 480 };
const goal = 0.9;

/** On the CPU, in a server of its own. */
export async function measureImagesOnCpu(): Promise<void> {
  const server = await startServer({ environment: { HEARTH_BACKEND: 'cpu' } });
  try {
    await measureImages(server, 'CPU');
  } finally {
    await server.stop();
  }
}

export async function measureImages(server: TestServer, device: string): Promise<void> {
  const path = emberModel(repository('build/models'));
  const projector = repository('models/ember-eyes-mmproj-f16.gguf');
  await addModel(server, { name: model, path, projector, template: '{{ .Prompt }}' });
  const generate = (tokens: number) =>
    Promise.all(
      Array.from({ length: streams }, (_, seed) =>
        timeStream({
          url: server.url,
          model,
          prompt: freshText(promptWords),
          tokens,
          seed,
          options: { num_ctx: contextLength },
        }),
      ),
    );
  await generate(probeTokens);
  const probe = throughput(await generate(probeTokens));
  const tokens = Math.min(maxTokens, Math.round((probe * roundSeconds) / streams));
  // The first one after the load is slower.
  await generate(tokens);
  const alone: number[] = [];
  const ratios: number[] = [];
  const answers: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await settle();
    const before = throughput(await generate(tokens));
    await settle();
    const images = sendImages(server, round);
    const during = throughput(await generate(tokens));
    answers.push(...(await images.stop()));
    alone.push(before);
    ratios.push(during / before);
  }
  report({
    what: `${device}, ${streams} streams while another request sends an image per second`,
    value: `${median(ratios).toFixed(3)} of their speed (${median(alone).toFixed(0)} tokens/s); an image is answered after ${median(answers).toFixed(0)} ms`,
    ...(device === 'CPU' ? {} : { goal: `≥ ${goal}`, met: median(ratios) >= goal }),
  });
}

/** Sends a new image every second until it is stopped. Resolves to the times of the answers in milliseconds. */
function sendImages({ url }: TestServer, round: number): { stop(): Promise<number[]> } {
  const sent: Promise<number>[] = [];
  const send = async (): Promise<number> => {
    const begun = performance.now();
    const color = [(37 * sent.length) % 256, (101 * round) % 256, Math.floor(Math.random() * 256)] as const;
    const images = [drawPng({ shape: 'circle', color, ...imageSize }).toString('base64')];
    const options = { num_predict: 8, num_ctx: contextLength };
    const body = JSON.stringify({ model, prompt: 'What is it?', images, stream: false, options });
    const response = await fetch(`${url}/api/generate`, { method: 'POST', body });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
    return performance.now() - begun;
  };
  const timer = setInterval(() => sent.push(send()), imageIntervalMs);
  return {
    stop() {
      clearInterval(timer);
      return Promise.all(sent);
    },
  };
}
