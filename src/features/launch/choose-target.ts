// The model of a run: the named one, or one that the user chooses. It is loaded, because only the server knows the
// context that a model gets.

import { HearthError } from '../../base/errors.ts';
import type { CliContext } from '../../cli/command.ts';
import { askForModel, canAsk } from '../../cli/models/ask-for-model.ts';
import { type FoundModel, findModel } from '../../cli/models/find-model.ts';
import { safeLine } from '../../cli/output/format.ts';
import { showProgress } from '../../cli/progress/show-progress.ts';
import { formatModelName, parseModelName } from '../../models/name.ts';
import type { PsResponseBody } from '../../server/dialects/ollama/status/ps-schema.ts';
import type { LaunchFacts } from './model-warnings.ts';
import type { LaunchTarget, Program } from './program.ts';
import { rankModels } from './rank-models.ts';

interface ChosenTarget {
  readonly target: LaunchTarget;
  readonly facts: LaunchFacts;
}

export async function chooseTarget(
  context: CliContext,
  program: Program,
  given: string | undefined,
): Promise<ChosenTarget> {
  const found = await findModel(context, given ?? (await chooseModel(context, program)));
  checkModel(found);
  await loadModel(context, found.model);
  return describeTarget(context, found);
}

/** The same, but no model is pulled or loaded. */
export async function previewTarget(
  context: CliContext,
  program: Program,
  given: string | undefined,
): Promise<ChosenTarget> {
  const model = given ?? (await chooseModel(context, program));
  const client = await context.connect();
  const found = { model, facts: await client.show({ model }, context.signal) };
  checkModel(found);
  return describeTarget(context, found);
}

function checkModel({ model, facts }: FoundModel): void {
  if (!facts.capabilities.includes('completion'))
    throw new HearthError(
      'unsupported',
      `'${safeLine(model)}' cannot generate text; choose another model with --model`,
    );
}

async function describeTarget(context: CliContext, { model, facts }: FoundModel): Promise<ChosenTarget> {
  const loaded = findLoaded(model, (await context.client().ps(context.signal)).models);
  const { context_length: length, context: { source } = {} } = loaded ?? {};
  const { url, apiKey } = context.client();
  return {
    target: { url, model, capabilities: facts.capabilities, context: length, key: apiKey },
    facts: { ...facts, contextSource: source },
  };
}

/** Asks only if there is a choice, and a terminal. */
async function chooseModel({ connect, terminal, signal }: CliContext, program: Program): Promise<string> {
  const client = await connect();
  const [{ models }, { models: loaded }] = await Promise.all([client.list(signal), client.ps(signal)]);
  const ranked = rankModels({ models, loaded }, program);
  const [best] = ranked;
  if (best === undefined)
    throw new HearthError(
      'model_not_found',
      'the server has no model that generates text: pull one with `hearth pull`',
    );
  if (ranked.length === 1 || !canAsk(terminal)) return best.name;
  return askForModel({ terminal, models: ranked, title: program.title, instead: 'pass --model', signal });
}

async function loadModel({ client, terminal, clock, signal }: CliContext, model: string): Promise<void> {
  const { stderr } = terminal;
  // Progress would only add a line to a log.
  const progress = stderr.canRedraw ? showProgress({ screen: stderr, clock }) : undefined;
  progress?.update({ status: `loading ${safeLine(model)}` });
  try {
    for await (const _ of client().generate({ model }, signal));
  } finally {
    progress?.end();
  }
}

type LoadedModel = PsResponseBody['models'][number];

/** A model that is being unloaded may have had another context. */
function findLoaded(model: string, loaded: readonly LoadedModel[]): LoadedModel | undefined {
  const fullName = formatModelName(parseModelName(model)).toLowerCase();
  return loaded.find(({ name, state }) => state !== 'draining' && name.toLowerCase() === fullName);
}
