// hearth create: reads the Modelfile, uploads the files that it names, and sends the create request.

import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { HearthError } from '../../base/errors.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import type { HearthClient } from '../../client/client.ts';
import { type Modelfile, modelfileLimits } from '../../formats/modelfile/modelfile.ts';
import { parseModelfile } from '../../formats/modelfile/parse-modelfile.ts';
import { parseReference } from '../../formats/modelfile/reference.ts';
import { type EngineName, isEngineName } from '../../models/engine-parameters.ts';
import type { CliContext } from '../command.ts';
import { nearestInstalled } from '../output/explain.ts';
import { safeText } from '../output/format.ts';
import { showProgress } from '../progress/show-progress.ts';
import { readInput } from '../terminal.ts';
import { expandHome, findSources, nameFiles, type Source } from './find-sources.ts';
import { type Origin, planCreate, textsOf } from './plan-create.ts';
import { type SendFileContext, sendFile } from './send-file.ts';

interface ModelToCreate {
  readonly model: string;
  /** Path of the Modelfile, or - for standard input. */
  readonly file: string;
  readonly quantize: string | undefined;
  /** Path of an importance matrix. */
  readonly imatrix: string | undefined;
  /** What runs the model. Undefined: what the Modelfile or the setting says. */
  readonly engine: EngineName | undefined;
}

export async function createModel(
  context: CliContext,
  { model, file, quantize, imatrix, engine: asked }: ModelToCreate,
): Promise<void> {
  const { connect, terminal, clock, signal } = context;
  const modelfile = parseModelfile(await readModelfile(context, file));
  const folder = file === '-' ? process.cwd() : dirname(resolve(file));
  const engine = await chooseEngine(context, { modelfile, folder, asked });
  const sources = await findAllSources(modelfile, folder, engine);
  const client = await connect();
  const named = engine === undefined ? Object.values(sources).flat() : [];
  for (const source of named) await checkName(source, client);
  const progress = showProgress({ screen: terminal.stderr, clock });
  let warnings: readonly string[] = [];
  try {
    const sender: SendFileContext = { client, progress, signal };
    const from = await sendAll(sources.from, sender);
    const adapters = await sendAll(sources.adapters, sender);
    const plan = planCreate(modelfile, { from, adapters, drafts: await sendAll(sources.drafts, sender) }, engine);
    warnings = plan.warnings;
    const matrix = imatrix === undefined ? undefined : await sendFile(await findImatrix(imatrix), sender);
    const quantizes = { ...(quantize === undefined ? {} : { quantize }), ...(matrix && { imatrix: matrix }) };
    const request = { model, ...plan.request, ...quantizes };
    for await (const status of client.create(request, signal)) progress.update(status);
  } finally {
    progress.end();
  }
  for (const warning of warnings) terminal.stderr.write(`Warning: ${warning}\n`);
}

async function findImatrix(path: string): Promise<{ readonly path: string; readonly bytes: number }> {
  try {
    return { path, bytes: (await stat(path)).size };
  } catch (error) {
    const reason = describeSystemError(error);
    throw new HearthError('bad_request', `cannot read the importance matrix ${safeText(path)}: ${reason}`);
  }
}

/** The setting is for folders with a checkpoint. */
async function chooseEngine(
  { loadSetting }: CliContext,
  { modelfile, folder, asked }: { readonly modelfile: Modelfile; readonly folder: string; readonly asked?: EngineName },
): Promise<EngineName | undefined> {
  const named = asked ?? textsOf(modelfile, 'engine').findLast(isEngineName);
  const setting = loadSetting('checkpointEngine');
  if (named !== undefined || setting === 'llama.cpp') return named;
  const [from = ''] = textsOf(modelfile, 'from');
  const isCheckpoint = (await findSources('FROM', from, folder)).some(
    (source) => source.kind === 'file' && source.name?.endsWith('.safetensors'),
  );
  return isCheckpoint ? setting : undefined;
}

async function findAllSources(modelfile: Modelfile, folder: string, engine: EngineName | undefined) {
  const find = async (kind: 'from' | 'adapter' | 'draft'): Promise<Source[]> =>
    (await Promise.all(textsOf(modelfile, kind).map((text) => findSources(kind.toUpperCase(), text, folder)))).flat();
  const from =
    engine === undefined ? await find('from') : textsOf(modelfile, 'from').map((text) => toCheckpoint(text, folder));
  return { from, adapters: await find('adapter'), drafts: await find('draft') };
}

/** The checkpoint stays where it is: the server gets the path of its folder, or a name. */
function toCheckpoint(text: string, folder: string): Source {
  const path = resolve(folder, expandHome(text));
  return { kind: 'model', name: existsSync(path) || parseReference(text).kind === 'path' ? path : text };
}

/** A mistyped name does not reach a registry. */
async function checkName(source: Source, client: HearthClient): Promise<void> {
  const nearest = source.kind === 'model' ? await nearestInstalled(client, source.name) : undefined;
  if (source.kind !== 'model' || nearest === undefined) return;
  const [name, other] = [safeText(source.name), safeText(nearest)];
  throw new HearthError(
    'model_not_found',
    `the Modelfile names '${name}', which is not installed. Did you mean '${other}'? If not, run \`hearth pull ${name}\` first`,
  );
}

/** Sequential, since all uploads share the disk and the connection. */
async function sendAll(sources: readonly Source[], sender: SendFileContext): Promise<Origin[]> {
  const names = nameFiles(sources.map((source) => (source.kind === 'file' ? source.path : 'blob.gguf')));
  const origins: Origin[] = [];
  for (const [index, source] of sources.entries()) {
    if (source.kind === 'model') origins.push(source);
    else {
      const digest = source.kind === 'blob' ? source.digest : await sendFile(source, sender);
      const file = (source.kind === 'file' ? source.name : undefined) ?? names[index] ?? '';
      origins.push({ kind: 'blob', file, digest });
    }
  }
  return origins;
}

async function readModelfile({ terminal, signal }: CliContext, file: string): Promise<Uint8Array> {
  const { bytes: maxBytes } = modelfileLimits;
  const tooLong = `the Modelfile exceeds the limit of ${maxBytes} bytes`;
  if (file === '-') return readInput(terminal.stdin, { maxBytes, tooLong }, signal);
  try {
    return await readFile(file);
  } catch (error) {
    const reason = describeSystemError(error);
    throw new HearthError(
      'bad_request',
      `cannot read the Modelfile ${safeText(file)}: ${reason}; use -f to specify another file`,
    );
  }
}
