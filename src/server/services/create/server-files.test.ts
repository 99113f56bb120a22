// Files of the server's machine in create requests: only regular files are read, and no answer tells which files exist.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collect, createComputeHere, createServiceFixture } from '../../../../test/support/service-fixture.ts';
import { HearthError } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import type { QuantizeFile } from '../../../inference/engine/quantize-file.ts';
import { parseModelName } from '../../../models/name.ts';
import type { PullModel } from '../management/pull-model.ts';
import { createCreateModel } from './create-model.ts';
import type { ConvertFiles } from './model-sources.ts';

const fixture = createServiceFixture();
const { store } = fixture;
const at = (name: string): string => join(fixture.root, name);
const never = new AbortController().signal;

const quantizeFile: QuantizeFile = async () => {
  throw new Error('not expected');
};
const convertFiles: ConvertFiles = async () => {
  throw new Error('not expected');
};
// biome-ignore lint/correctness/useYield: the registry has no such model.
const pullModel: PullModel = async function* () {
  throw new HearthError('model_not_found', 'pull model manifest: file does not exist');
};

const unexpectedPackage = () => {
  throw new Error('not expected');
};

beforeAll(async () => {
  await fixture.putModel('base', {});
  writeFileSync(at('secret'), 'root:x:0:0');
  writeFileSync(at('damaged.gguf'), 'GGUF and more');
  writeFileSync(at('weights.gguf'), fixture.gguf({}));
  writeFileSync(at('large'), 'FROM base\n');
  truncateSync(at('large'), 4 * 2 ** 20 + 1);
  mkdirSync(at('folder'));
  if (process.platform !== 'win32') execFileSync('mkfifo', [at('fifo')]);
});
afterAll(() => fixture.remove());

interface Named {
  readonly modelfile?: string;
  readonly path?: string;
  readonly from?: string;
}

async function outcomeOf({ modelfile = '', path = '', from = '' }: Named, signal = never): Promise<string> {
  const input = {
    name: parseModelName('created'),
    quantization: undefined,
    modelfile,
    path,
    localFiles: true,
    fields: { from, files: {}, adapters: {}, parameters: {}, licenses: [] },
  };
  const compute = createComputeHere();
  const create = createCreateModel({
    store,
    quantizeFile,
    convertFiles,
    pullModel,
    pullPackage: unexpectedPackage,
    describeRemote: unexpectedPackage,
    compute,
    logger: silentLogger,
  });
  return collect(create(input, signal)).then(
    () => 'created',
    (error: HearthError) => `${error.code}: ${error.message}`,
  );
}

const special = process.platform === 'win32' ? [] : [at('fifo'), '/dev/zero', '/dev/ptmx', '/dev/tty', '/dev/null'];
const unusable = [...special, at('missing'), at('secret'), at('folder'), at('damaged.gguf'), at('large'), '/root/x/y'];

describe('one text for every file that cannot be used', () => {
  test.each(unusable)('%s as a Modelfile', async (path) => {
    expect(await outcomeOf({ path })).toBe(
      'bad_request: error reading modelfile: the file does not exist, is not readable, is larger than 4 MiB, ' +
        'or is not a valid Modelfile',
    );
  });

  const noWeights =
    'bad_request: a file of the model does not exist, is not readable, or is not in GGUF format; ' +
    'weights must be GGUF files, or safetensors files that are uploaded together with their config.json';

  test.each(unusable)('%s as weights', async (path) => {
    expect(await outcomeOf({ modelfile: `FROM ${path}` })).toBe(noWeights);
    expect(await outcomeOf({ from: path })).toBe(noWeights);
    expect(await outcomeOf({ modelfile: `FROM base\nADAPTER ${path}` })).toBe(noWeights);
  });

  test.each(['missing', 'secret', 'folder', 'damaged.gguf', 'fifo'])('the plain name %s', async (name) => {
    expect(await outcomeOf({ modelfile: `FROM ${name}`, path: at('Modelfile') })).toBe(
      'model_not_found: pull model manifest: file does not exist',
    );
  });
});

test('a plain name of a GGUF file is that file', async () => {
  expect(await outcomeOf({ modelfile: 'FROM weights.gguf', path: at('Modelfile') })).toBe('created');
});

test('the number of files is limited', async () => {
  const modelfile = `FROM base\n${`FROM ${at('weights.gguf')}\n`.repeat(513)}`;
  expect(await outcomeOf({ modelfile })).toBe('bad_request: the model has 513 files; the maximum is 512');
});

test('a client that left ends the reading', async () => {
  writeFileSync(at('Modelfile'), 'FROM base');
  const left = AbortSignal.abort();
  expect(await outcomeOf({ path: at('Modelfile') }, left)).toBe('cancelled: request canceled');
  expect(await outcomeOf({ modelfile: `FROM ${at('weights.gguf')}` }, left)).toBe('cancelled: request canceled');
});

test.runIf(process.platform === 'linux')('every file is closed', async () => {
  const openFiles = (): number => readdirSync('/proc/self/fd').length;
  await outcomeOf({ path: at('secret') });
  const before = openFiles();
  for (const path of unusable) {
    await outcomeOf({ path });
    await outcomeOf({ modelfile: `FROM ${path}` });
  }
  await outcomeOf({ modelfile: `FROM ${at('weights.gguf')}` });
  expect(openFiles()).toBe(before);
});
