// Programs of other people that measure servers. What they count is compared with what the server counts.

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { vllmCache } from '../python-environment.mjs';
import { root, run } from '../setup.mjs';
import { inCache, outputOf } from './tools.mjs';

const model = 'standards';
const requests = 4;
const promptTokens = 100;
const answerTokens = 16;

const sum = (values) => values.reduce((total, value) => total + value, 0);

/**
 * `measure` starts the program, which makes exactly the requests that it reports, and returns the counts in the report
 * that it writes.
 */
function benchmark({ name, packages, environmentFolder = inCache(name), measure }) {
  const inEnvironment = (...path) => join(environmentFolder, 'bin', ...path);
  return {
    name,
    models: { [model]: { from: 'ember' } },
    prepare: () =>
      existsSync(inEnvironment(name))
        ? undefined
        : `needs a virtual environment in ${environmentFolder} with ${packages}, which is large`,
    async run(url) {
      const folder = inCache(`${name}-results`);
      const tokenizer = join(folder, 'tokenizer');
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(tokenizer, { recursive: true });
      run(inEnvironment('python'), ['test/standards/write_tokenizer.py', url, model, tokenizer]);
      // Some keep files of their own.
      const environment = { HOME: folder, PYTHONDONTWRITEBYTECODE: '1' };
      const before = await readCounts(url);
      const counted = measure({
        url,
        folder,
        tokenizer,
        start(args, report) {
          const output = outputOf(inEnvironment(name), args, { environment, cwd: root });
          if (existsSync(join(folder, report))) return readFileSync(join(folder, report), 'utf8');
          throw new Error(`${name} writes no report:\n${output.slice(-4000)}`);
        },
      });
      const after = await readCounts(url);
      const served = { prompt: after.prompt - before.prompt, answer: after.answer - before.answer };
      console.log(
        `| ${name} | ${counted.requests} | ${counted.prompt} / ${served.prompt} | ${counted.answer} / ${served.answer} |`,
      );
      return [
        compare('requests', counted.requests, requests),
        compare('tokens of prompts', counted.prompt, served.prompt),
        compare('tokens of answers', counted.answer, served.answer),
        compare('answers do not end before their length', served.answer, requests * answerTokens),
        ...(counted.results ?? []),
      ];
    },
  };
}

function compare(name, counted, expected) {
  const status = counted === expected ? 'passed' : 'failed';
  return { name, status, reason: `${counted} instead of ${expected}` };
}

/** The tokens that the server has counted since it started. */
async function readCounts(url) {
  const text = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text();
  const total = (name) =>
    sum([...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'gm'))].map(([, n]) => Number(n)));
  return { prompt: total('hearth_prompt_tokens_total'), answer: total('hearth_generated_tokens_total') };
}

const guideLlm = benchmark({
  name: 'guidellm',
  packages: 'guidellm 0.8.1',
  measure({ url, folder, tokenizer, start }) {
    const args = [
      ...['run', '--backend', `kind=openai_http,target=${url},model=${model}`],
      ...['--tokenizer', `kind=hf_auto,model=${tokenizer}`],
      ...['--data', `kind=synthetic_text,prompt_tokens=${promptTokens},output_tokens=${answerTokens}`],
      ...['--profile', 'kind=synchronous', '--constraint', `kind=max_requests,count=${requests}`],
      ...['--output', `kind=json,path=${join(folder, 'report.json')}`, '--disable-console-interactive'],
    ];
    const { successful } = JSON.parse(start(args, 'report.json')).benchmarks[0].requests;
    return {
      requests: successful.length,
      prompt: sum(successful.map(({ input_metrics }) => input_metrics.total_tokens)),
      answer: sum(successful.map(({ output_metrics }) => output_metrics.total_tokens)),
    };
  },
});

const aiPerf = benchmark({
  name: 'aiperf',
  packages: 'aiperf 0.13.0',
  measure({ url, folder, tokenizer, start }) {
    const args = [
      ...['profile', '-m', model, '--endpoint-type', 'chat', '--url', url, '--streaming', '--tokenizer', tokenizer],
      ...['--synthetic-input-tokens-mean', `${promptTokens}`, '--synthetic-input-tokens-stddev', '0'],
      ...['--output-tokens-mean', `${answerTokens}`, '--output-tokens-stddev', '0'],
      // Otherwise it tokenizes the text again, which may give another number.
      ...['--extra-inputs', 'ignore_eos:true', '--use-server-token-count'],
      ...['--request-count', `${requests}`, '--concurrency', '2', '--ui', 'None'],
      // It empties this folder.
      ...['--output-artifact-dir', join(folder, 'report')],
    ];
    const report = JSON.parse(start(args, 'report/profile_export_aiperf.json'));
    return {
      requests: report.request_count.avg,
      prompt: report.total_usage_prompt_tokens.avg,
      answer: report.total_output_tokens.avg,
    };
  },
});

const llamaBenchy = benchmark({
  name: 'llama-benchy',
  packages: 'llama-benchy 0.4.0',
  measure({ url, folder, tokenizer, start }) {
    const args = [
      ...['--base-url', `${url}/v1`, '--model', model, '--tokenizer', tokenizer, '--runs', `${requests}`],
      ...['--pp', `${promptTokens}`, '--tg', `${answerTokens}`, '--exact-tg', '--no-cache'],
      ...[
        '--no-warmup',
        '--no-adapt-prompt',
        '--skip-coherence',
        '--latency-mode',
        'none',
        '--emit-progress',
        join(folder, 'events.jsonl'),
      ],
      // Prompts are parts of a long text.
      ...['--book-url', `${url}/openapi.json`],
    ];
    const events = start(args, 'events.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const all = (name) => events.filter(({ type }) => type === name);
    const ends = all('request_end').filter(({ error }) => error === '');
    const mean = (name, field) => sum(all(name).map((event) => event[field])) / requests;
    const [response, token] = [mean('request_first_response', 'ttfr_s'), mean('request_first_token', 'ttft_s')];
    return {
      requests: ends.length,
      prompt: sum(ends.map(({ prompt_tokens }) => prompt_tokens)),
      answer: sum(ends.map(({ total_tokens }) => total_tokens)),
      results: [
        {
          // The speed of the prompt is computed from the first chunk.
          name: 'the first chunk comes with the first token',
          status: response > 0.9 * token ? 'passed' : 'failed',
          reason: `after ${Math.round(1000 * response)} ms, the token after ${Math.round(1000 * token)} ms`,
        },
      ],
    };
  },
});

const vllmBench = benchmark({
  name: 'vllm',
  packages: 'vLLM (npm run test:vllm -- --install)',
  environmentFolder: join(vllmCache, 'python'),
  measure({ url, folder, tokenizer, start }) {
    const args = [
      ...['bench', 'serve', '--backend', 'openai-chat', '--base-url', url, '--endpoint', '/v1/chat/completions'],
      ...['--model', model, '--tokenizer', tokenizer, '--dataset-name', 'random', '--ignore-eos'],
      ...['--random-input-len', `${promptTokens}`, '--random-output-len', `${answerTokens}`],
      ...['--num-prompts', `${requests}`, '--ready-check-timeout-sec', '0'],
      ...['--save-result', '--result-dir', folder, '--result-filename', 'report.json'],
    ];
    const report = JSON.parse(start(args, 'report.json'));
    return { requests: report.completed, prompt: report.total_input_tokens, answer: report.total_output_tokens };
  },
});

export const benchmarks = [guideLlm, aiPerf, llamaBenchy, vllmBench];
