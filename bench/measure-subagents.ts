// npm run bench subagents: three agents of one client take turns, and the client sends other prompts in between. How many of
// the tokens that a turn repeats are cached, with and without a header that names the conversation. The context of Ember
// is too short for such prompts.

import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { tinyRandomModel } from './random-model.ts';
import { report } from './report.ts';
import { freshText } from './server-load.ts';

const model = 'random-tiny';
const template = '{{ range .Messages }}{{ .Role }}: {{ .Content }}\n{{ end }}assistant: ';
const agents = 3;
const turns = 3;
const promptTokens = 10_000;
const resultTokens = 300;
/** A letter and a space are tokens of the random model. */
const tokensPerWord = 2;

export async function measureSubagents(): Promise<void> {
  const { rate: rateOfAll, bytesPerPrompt } = await measureTurns('4GiB', false);
  reportRate('without names, memory for all prompts', rateOfAll);
  const room = String(Math.round(bytesPerPrompt * (agents + 1.5)));
  const where = `memory for ${agents + 1} prompts`;
  reportRate(`without names, ${where}`, (await measureTurns(room, false)).rate);
  reportRate(`with names, ${where}`, (await measureTurns(room, true)).rate, 0.97);
}

function reportRate(how: string, rate: number, goal?: number): void {
  report({
    what: `${model}, ${agents} agents in turn with prompts of ${promptTokens.toLocaleString('en')} tokens, ${how}`,
    value: `${(100 * rate).toFixed(1)} % of the repeated tokens are cached`,
    ...(goal === undefined ? {} : { goal: `≥ ${100 * goal} %`, met: rate >= goal }),
  });
}

async function measureTurns(prefixCache: string, isNamed: boolean) {
  const environment = {
    HEARTH_NUM_PARALLEL: '1',
    HEARTH_CONTEXT_LENGTH: '16384',
    HEARTH_PREFIX_CACHE: prefixCache,
    // Files would provide what the memory has lost.
    HEARTH_CACHE: '0',
  };
  const server = await startServer({ environment });
  await addModel(server, { name: model, path: tinyRandomModel(repository('build/models')), template });
  return runTurns(server, isNamed).finally(server.stop);
}

interface Turn {
  readonly prompt: number;
  readonly cached: number;
}

interface Message {
  readonly role: string;
  readonly content: string;
}

/** The share of repeated tokens that were cached, and the memory of the longest prompt. */
async function runTurns(
  { url }: TestServer,
  isNamed: boolean,
): Promise<{ readonly rate: number; readonly bytesPerPrompt: number }> {
  const conversations = Array.from({ length: agents }, (_, index) => ({
    session: `agent-${index}`,
    messages: [{ role: 'user', content: freshText(promptTokens / tokensPerWord) }] as Message[],
    last: undefined as Turn | undefined,
  }));
  const totals = { repeated: 0, cached: 0 };
  for (let turn = 0; turn < turns; turn++) {
    for (const conversation of conversations) {
      const { messages, session, last } = conversation;
      const answer = await ask({ url, messages, session: isNamed ? session : undefined });
      if (last !== undefined) {
        totals.repeated += last.prompt;
        totals.cached += Math.min(answer.cached, last.prompt);
      }
      conversation.last = answer;
      messages.push(
        { role: 'assistant', content: answer.content },
        { role: 'user', content: freshText(resultTokens / tokensPerWord) },
      );
      // Such as the title of a conversation, or a question about one file.
      const other = [{ role: 'user', content: freshText(promptTokens / tokensPerWord) }];
      await ask({ url, messages: other, session: undefined });
    }
  }
  const { models: loaded } = (await (await fetch(`${url}/api/ps`)).json()) as {
    models: { readonly size_prefix_cache?: number }[];
  };
  const prompts = agents * (1 + turns);
  const bytesPerPrompt = (loaded[0]?.size_prefix_cache ?? 0) / prompts;
  return { rate: totals.cached / totals.repeated, bytesPerPrompt };
}

async function ask({
  url,
  messages,
  session,
}: {
  readonly url: string;
  readonly messages: readonly Message[];
  readonly session: string | undefined;
}): Promise<Turn & { readonly content: string }> {
  const headers = { 'content-type': 'application/json', ...(session === undefined ? {} : { 'x-session-id': session }) };
  const body = JSON.stringify({ model, messages, max_tokens: 8, temperature: 0 });
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
  const answer = (await response.json()) as {
    readonly error?: { readonly message: string };
    readonly choices: { readonly message: { readonly content: string | null } }[];
    readonly usage: {
      readonly prompt_tokens: number;
      readonly prompt_tokens_details?: { readonly cached_tokens: number };
    };
  };
  if (answer.error !== undefined) throw new Error(answer.error.message);
  const { prompt_tokens: prompt, prompt_tokens_details: details } = answer.usage;
  return { prompt, cached: details?.cached_tokens ?? 0, content: answer.choices[0]?.message.content ?? '' };
}
