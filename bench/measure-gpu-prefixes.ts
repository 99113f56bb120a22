// Long prompts on a GPU: callers with one long beginning, the next turn of an agent, and a long prompt that arrives while
// others generate. The model has a token per byte.

import { pause } from '../test/support/processes.ts';
import type { TestServer } from '../test/support/server.ts';
import { median, report, rounds, settle } from './report.ts';
import { freshText, type StreamTiming, throughput, timePieces, timeStream } from './server-load.ts';

interface GpuSubject {
  readonly server: TestServer;
  readonly model: string;
  readonly gpu: string;
}

const callers = 16;
const sharedTokens = 6300;
const answerTokens = 8;
const sharedContext = 16_384;
const agentTokens = 20_000;
const agentContext = 24_576;
const newTokens = 100;
const longTokens = 8000;

/** Text of this many tokens that no earlier request had. */
export function textOf(tokens: number): string {
  return freshText(tokens).slice(0, tokens);
}

function ask({ server, model }: GpuSubject, prompt: string, tokens: number, contextLength: number, seed = 1) {
  const options = { num_ctx: contextLength, temperature: 0.8, repeat_penalty: 1 };
  return timeStream({ url: server.url, model, prompt, tokens, seed, options });
}

const firstOf = ({ sent, firstText }: StreamTiming): number => firstText - sent;
const wholeOf = (timings: readonly StreamTiming[]): number =>
  Math.max(...timings.map(({ ended }) => ended)) - Math.min(...timings.map(({ sent }) => sent));

/** Callers at the same time, with one beginning and an end of their own. */
function callTogether(subject: GpuSubject, prefix: string, round: number): Promise<StreamTiming[]> {
  return Promise.all(
    Array.from({ length: callers }, (_, index) =>
      ask(subject, `${prefix}\nCaller ${index}, round ${round}:`, answerTokens, sharedContext, index),
    ),
  );
}

/** The median time to the first token of prompts that nothing is known of. */
async function timeEvaluation(subject: GpuSubject, tokens: number, contextLength: number): Promise<number> {
  const times: number[] = [];
  // The first one has the time of the load.
  for (let round = 0; round <= Math.min(rounds, 3); round++) {
    const timing = await ask(subject, textOf(tokens), 1, contextLength);
    if (round > 0) times.push(firstOf(timing));
  }
  return median(times);
}

export async function measureSharedBeginning(subject: GpuSubject): Promise<void> {
  const { gpu } = subject;
  const evaluation = await timeEvaluation(subject, sharedTokens, sharedContext);
  const cold: number[] = [];
  const warm: number[] = [];
  const warmWhole: number[] = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const prefix = textOf(sharedTokens);
    await settle();
    cold.push(wholeOf(await callTogether(subject, prefix, 1)));
    await settle();
    const again = await callTogether(subject, prefix, 2);
    warm.push(Math.max(...again.map(firstOf)));
    warmWhole.push(wholeOf(again));
  }
  const what = `${gpu}, ${callers} callers with ${sharedTokens} tokens in common`;
  report({
    what: `${what}, all answered`,
    value: `${median(cold).toFixed(0)} ms, ${(median(cold) / evaluation).toFixed(2)} of one evaluation (${evaluation.toFixed(0)} ms)`,
    goal: '≤ 1.5 and the passes of the answers',
    met: median(cold) <= 1.5 * evaluation + answerTokens * 12,
  });
  report({
    what: `${what}, again with another end: first token of the last caller`,
    value: `${median(warm).toFixed(0)} ms; all answered after ${median(warmWhole).toFixed(0)} ms`,
    goal: '≤ 150 ms',
    met: median(warm) <= 150,
  });
  await measureRunning(subject, textOf(sharedTokens));
}

const runningStreams = 8;
const runningTokens = 400;

/** Streams that run while callers with a known beginning arrive. */
async function measureRunning(subject: GpuSubject, prefix: string): Promise<void> {
  const run = () =>
    Promise.all(
      Array.from({ length: runningStreams }, (_, seed) => ask(subject, textOf(16), runningTokens, sharedContext, seed)),
    );
  await callTogether(subject, prefix, 1);
  const ratios: number[] = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    await settle();
    const alone = throughput(await run());
    await settle();
    const running = run();
    await pause(1000);
    await callTogether(subject, prefix, round + 2);
    ratios.push(throughput(await running) / alone);
  }
  report({
    what: `${subject.gpu}, ${runningStreams} streams of ${runningTokens} tokens while ${callers} callers share a beginning`,
    value: `${median(ratios).toFixed(3)} of their speed`,
    goal: '≥ 0.95',
    met: median(ratios) >= 0.95,
  });
}

export async function measureNextTurn(subject: GpuSubject): Promise<void> {
  const first: number[] = [];
  const next: number[] = [];
  const fresh = await timeEvaluation(subject, newTokens, agentContext);
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const prompt = textOf(agentTokens);
    await settle();
    first.push(firstOf(await ask(subject, prompt, answerTokens, agentContext)));
    next.push(firstOf(await ask(subject, prompt + textOf(newTokens), answerTokens, agentContext)));
  }
  const limit = median(first) / 100 + fresh;
  report({
    what: `${subject.gpu}, the next turn after ${agentTokens} tokens, ${newTokens} of them new`,
    value: `${median(next).toFixed(0)} ms; the first turn takes ${median(first).toFixed(0)} ms, ${newTokens} tokens alone ${fresh.toFixed(0)} ms`,
    goal: `≤ ${limit.toFixed(0)} ms`,
    met: median(next) <= limit,
  });
}

/** Evaluates a long prompt while others generate. */
export async function measureLongPrompt(subject: GpuSubject, streams: number): Promise<void> {
  const alone = await timeEvaluation(subject, longTokens, sharedContext);
  const running = Promise.all(
    Array.from({ length: streams }, (_, seed) => {
      const { server, model } = subject;
      const options = { num_ctx: sharedContext, temperature: 0.8, repeat_penalty: 1 };
      return timePieces({ url: server.url, model, prompt: textOf(16), tokens: runningTokens, seed, options });
    }),
  );
  await pause(1500);
  const first = firstOf(await ask(subject, textOf(longTokens), 1, sharedContext));
  const gaps = (await running).flatMap(({ between }) => between).sort((a, b) => a - b);
  const at = (share: number): string => (gaps[Math.floor(share * (gaps.length - 1))] as number).toFixed(0);
  report({
    what: `${subject.gpu}, ${streams} streams while a prompt of ${longTokens} tokens is evaluated: between two pieces of text`,
    value: `50 % ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms`,
    goal: 'longest ≤ 100 ms',
    met: (gaps.at(-1) as number) <= 100,
  });
  report({
    what: `${subject.gpu}, first token of that prompt`,
    value: `${first.toFixed(0)} ms, ${(first / alone).toFixed(2)} of its evaluation alone (${alone.toFixed(0)} ms)`,
    goal: '≤ 1.5',
    met: first <= 1.5 * alone,
  });
}
