// The suites: what each needs, the models that it asks for, and how its results are read.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, whenChanged } from '../setup.mjs';
import { benchmarks } from './benchmarks.mjs';
import { mcp } from './mcp.mjs';
import { inCache, outputOf, preparePython, runPytest, whyNoCheckout } from './tools.mjs';

const model = 'standards';
// Ember does not stop counting by itself.
const seeing = { from: 'ember-eyes', stop: [', 6'] };

const firstReason = (...reasons) => reasons.find((reason) => reason !== undefined);

/** Results of a program that prints JSON. */
function readReport(text) {
  return JSON.parse(text).results.map(({ id, status, errors = [] }) => ({
    name: id,
    status,
    reason: errors.join(' '),
  }));
}

const openResponses = {
  name: 'open-responses',
  models: { [model]: seeing },
  prepare() {
    const reason = whyNoCheckout('HEARTH_OPEN_RESPONSES_SOURCE', 'bin/compliance-test.ts');
    if (reason !== undefined) return reason;
    const packages = ['bun@1.4.4', 'zod@3.25.76'];
    whenChanged(inCache('.bun-installed'), packages.join(' '), () => {
      console.error('Installing Bun …');
      run('npm', ['install', '--prefix', inCache('bun'), '--no-save', '--loglevel=error', ...packages]);
    });
  },
  run(url) {
    const bun = inCache('bun/node_modules/@oven/bun-linux-x64/bin/bun');
    const installed = inCache('bun/node_modules/bun/bin/bun.exe');
    const args = ['run', 'bin/compliance-test.ts', '-u', `${url}/v1`, '-k', 'none', '-m', model, '--json'];
    const environment = { NODE_PATH: inCache('bun/node_modules') };
    const options = { cwd: process.env.HEARTH_OPEN_RESPONSES_SOURCE, environment };
    return readReport(outputOf(existsSync(installed) ? installed : bun, args, options));
  },
};

const anthropicFormat = [
  ...['--format', 'anthropic', '--auth-header', 'x-api-key', '--no-bearer'],
  ...['-H', 'anthropic-version:2023-06-01'],
];
/** Tests of thinking run only with these names, and with a model that thinks. */
const thinkingModels = { openai: 'gpt-5-thinks', anthropic: 'claude-opus-thinks' };

const complyRuns = [
  ['-m', model],
  ['-m', model, '--format', 'openai-chat'],
  ['-m', model, ...anthropicFormat],
  ['-m', thinkingModels.openai, '-f', 'reasoning-summary'],
  ['-m', thinkingModels.openai, '-f', 'chat-reasoning-summary', '--format', 'openai-chat'],
  ['-m', thinkingModels.anthropic, '-f', 'anth-thinking-display', ...anthropicFormat],
];

const llmComply = {
  name: 'llm-comply',
  models: {
    [model]: seeing,
    [thinkingModels.openai]: { from: 'ember-thinks' },
    [thinkingModels.anthropic]: { from: 'ember-thinks' },
  },
  prepare: preparePython,
  run(url) {
    const common = ['-u', `${url}/v1`, '-k', 'none', '--json'];
    const results = complyRuns.flatMap((words) =>
      readReport(outputOf(inCache('python/bin/llm-comply'), [...common, ...words])),
    );
    // What one run skips, another may test.
    const tested = new Set(results.filter(({ status }) => status !== 'skipped').map(({ name }) => name));
    return results.filter(({ name, status }) => status !== 'skipped' || !tested.has(name));
  },
};

const otherModel = 'standards-other';

const langChain = {
  name: 'langchain',
  models: { [model]: seeing, [otherModel]: seeing },
  prepare: preparePython,
  run(url) {
    // The clients keep their connections between tests.
    const loop = ['-o', 'asyncio_mode=auto', '-o', 'asyncio_default_test_loop_scope=session'];
    const options = [...loop, '-p', 'local_picture'];
    const environment = {
      HEARTH_STANDARDS_URL: url,
      HEARTH_STANDARDS_MODEL: model,
      HEARTH_STANDARDS_OTHER_MODEL: otherModel,
    };
    return runPytest(['test/standards/langchain_suite.py'], { environment, cwd: root, options });
  },
};

const llamaFiles = [
  'compat_anthropic',
  'compat_gcp',
  'compat_oai_responses',
  'infill',
  'rerank',
  'tokenize',
  'tool_call',
].map((name) => `unit/test_${name}.py`);

/** Shows the thinking of every turn, as some templates do; Ember's has that of the last one. */
function rememberingTemplate() {
  const template = readFileSync(join(root, 'models/ember-thinks.template'), 'utf8');
  return template.replace('if and $last .Thinking', 'if .Thinking');
}

const llama = {
  name: 'llama.cpp',
  models: {
    [model]: seeing,
    // Names in requests of the suite.
    test: seeing,
    'gpt-4.1': seeing,
    [thinkingModels.openai]: { from: 'ember-thinks', template: rememberingTemplate() },
  },
  encoders: { reranker: 'rank' },
  prepare: () => firstReason(whyNoCheckout('HEARTH_LLAMA_CPP_SOURCE', 'tools/server/tests/utils.py'), preparePython()),
  run(url) {
    const cwd = join(process.env.HEARTH_LLAMA_CPP_SOURCE, 'tools/server/tests');
    const environment = {
      DEBUG_EXTERNAL: '1',
      PORT: new URL(url).port,
      HEARTH_STANDARDS_URL: url,
      HEARTH_STANDARDS_MODEL: model,
      HEARTH_STANDARDS_THINKING_MODEL: thinkingModels.openai,
    };
    return runPytest(llamaFiles, { environment, cwd, options: ['-p', 'one_model', '-p', 'local_picture'] });
  },
};

const gptOssFolder = inCache('gpt-oss');

const gptOss = {
  name: 'gpt-oss',
  models: { [model]: { from: 'ember-thinks' } },
  /** A copy, because a server is described in a file of the program. */
  prepare() {
    const reason = whyNoCheckout('HEARTH_GPT_OSS_SOURCE', 'compatibility-test/index.ts');
    if (reason !== undefined) return reason;
    const source = join(process.env.HEARTH_GPT_OSS_SOURCE, 'compatibility-test');
    whenChanged(inCache('.gpt-oss-installed'), readFileSync(join(source, 'package-lock.json'), 'utf8'), () => {
      console.error('Installing the packages of gpt-oss …');
      rmSync(gptOssFolder, { recursive: true, force: true });
      cpSync(source, gptOssFolder, { recursive: true });
      run('npm', ['ci', '--ignore-scripts', '--loglevel=error'], { cwd: gptOssFolder });
      run('npm', ['install', '--ignore-scripts', '--no-save', '--loglevel=error', 'tsx@4.23.15'], {
        cwd: gptOssFolder,
      });
    });
  },
  run(url) {
    const server = { apiBaseUrl: `${url}/v1`, apiKey: 'none', apiType: ['responses', 'chat'], modelName: model };
    writeFileSync(
      join(gptOssFolder, 'providers.ts'),
      `export const PROVIDERS = ${JSON.stringify({ hearth: server })};\n`,
    );
    for (const name of rollouts()) rmSync(join(gptOssFolder, name));
    // A model that calls a tool again and again needs not do so ten times.
    const args = ['node_modules/tsx/dist/cli.mjs', 'index.ts', '--provider', 'hearth', '--maxTurns', '4'];
    outputOf(process.execPath, args, { cwd: gptOssFolder });
    return rollouts().flatMap((name) => readRollout(readFileSync(join(gptOssFolder, name), 'utf8')));
  },
};

const rollouts = () => readdirSync(gptOssFolder).filter((name) => name.startsWith('rollout_'));

/** One line for each question and API, or one for a question that failed. */
function readRollout(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ test_case, tool_name, success, result, error }) => {
      const { apiType = '', validResponse, validEvents, details, toolCallingDetails } = result ?? {};
      return {
        name: `${test_case} ${tool_name} ${apiType}`,
        status: success ? 'passed' : 'failed',
        reason: error ?? JSON.stringify({ validResponse, validEvents, ...details, ...toolCallingDetails }),
      };
    });
}

const ollama = {
  name: 'ollama',
  // The models that the tests name.
  models: {
    'llama3.2:1b': { from: 'ember-thinks' },
    'llama3.2': { from: 'ember' },
    'qwen3.5:2b': { from: 'ember' },
    'lfm2.5': { from: 'ember' },
    gemma4: seeing,
    'gemma4:e2b': seeing,
    'gemma4:12b': seeing,
    'qwen3.5:2b-nvfp4': { from: 'ember' },
  },
  encoders: { 'all-minilm': 'mean', 'qwen3-embedding': 'mean' },
  prepare() {
    const reason = whyNoCheckout('HEARTH_OLLAMA_SOURCE', 'integration/reg_fast_test.go');
    if (reason !== undefined) return reason;
    // Compiles the tests, and fails without the modules that they need.
    const build = ['test', '-c', '-vet=off', '-tags=integration,fast', '-o', inCache('ollama-integration')];
    run('go', [...build, './integration'], { cwd: process.env.HEARTH_OLLAMA_SOURCE });
  },
  run(url) {
    const environment = { OLLAMA_TEST_EXISTING: '1', OLLAMA_HOST: new URL(url).host };
    const cwd = join(process.env.HEARTH_OLLAMA_SOURCE, 'integration');
    const program = ['tool', 'test2json', inCache('ollama-integration'), '-test.v=test2json'];
    return readGoTests(outputOf('go', program, { environment, cwd }));
  },
};

/** Tests without those that only contain others. */
function readGoTests(text) {
  const events = text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ Test }) => Test !== undefined);
  const names = [...new Set(events.map(({ Test }) => Test))];
  const contains = (name) => names.some((other) => other.startsWith(`${name}/`));
  const words = { pass: 'passed', fail: 'failed', skip: 'skipped' };
  const said = (name) =>
    events
      .filter(({ Test, Action }) => Test === name && Action === 'output')
      .map(({ Output }) => /^\s+\w+_test\.go:\d+: (.*)/.exec(Output)?.[1])
      .find((reason) => reason !== undefined);
  return events
    .filter(({ Test, Action }) => Action in words && !contains(Test))
    .map(({ Test, Action }) => ({ name: Test, status: words[Action], reason: said(Test) ?? '' }));
}

export const suites = [openResponses, llmComply, langChain, llama, gptOss, ollama, mcp, ...benchmarks];
