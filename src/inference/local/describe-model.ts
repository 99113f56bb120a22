// What lists and `show` say about a model, from its files or from its remote.

import type { PromptTemplate } from '../../formats/chat/prompt-template.ts';
import { type OptionValues, resolveOptions } from '../../models/options.ts';
import type { AcquireRequest } from '../engine/ports.ts';
import type { OpenModel, OpenRequest } from '../model/model.ts';
import type { ModelSource } from '../model/model-source.ts';
import { hearsAudio, type ModelFacts, seesImages } from './files/model-facts.ts';
import { type DraftServices, findDraft, resolveFiles } from './files/resolve-files.ts';
import { type ChooseTemplate, plainTemplate } from './render/choose-template.ts';

const allCapabilities = [
  'completion',
  'embedding',
  'rerank',
  'vision',
  'audio',
  'tools',
  'insert',
  'thinking',
  'transcription',
] as const;
export type Capability = (typeof allCapabilities)[number];

export interface ModelDescription {
  readonly capabilities: readonly Capability[];
  /** The levels of thinking that the model tells apart. */
  readonly thinkLevels: readonly string[];
  readonly contextLength?: number;
  readonly embeddingLength?: number;
  /** The source text of the template. Empty: the remote has it. */
  readonly template: string;
  /** Undefined if the weights or the remote define the template. */
  readonly ownTemplate: string | undefined;
}

type DescribeServices = Omit<DraftServices, 'findWeights'> & { readonly chooseTemplate: ChooseTemplate };

export type DescribeModel = (model: OpenModel) => Promise<ModelDescription>;

export function createDescribeModel({ facts, chooseTemplate }: DescribeServices): DescribeModel {
  return async (model) => {
    const modelFacts = await facts.read(model.files);
    const { template, text } = await chooseTemplate('', model);
    const { contextLength, embeddingLength } = modelFacts;
    const isAtRemote = model.files.kind !== 'local' && model.template === undefined;
    return {
      capabilities: capabilitiesOf({ facts: modelFacts, template, files: model.files }),
      thinkLevels: template.thinkingTags === undefined ? [] : (template.thinkLevels?.levels ?? []),
      contextLength,
      embeddingLength,
      // Also a template that is not used because the one in the weights can do more.
      template: isAtRemote ? '' : (model.template ?? text),
      // Other templates than these two come from the weights.
      ownTemplate: model.template ?? (text === plainTemplate && !isAtRemote ? text : undefined),
    };
  };
}

/** What a request without other options than these would load. Undefined: the model is not loaded here. */
export async function planLoad(
  services: Pick<DescribeServices, 'facts' | 'logger'> & Pick<OpenRequest, 'findWeights'>,
  model: OpenModel,
  given: OptionValues,
): Promise<AcquireRequest | undefined> {
  if (model.files.kind !== 'local') return undefined;
  const { load } = resolveOptions(model.options, given);
  const facts = await services.facts.read(model.files);
  return {
    name: model.displayName,
    source: resolveFiles(model.files, facts),
    options: load,
    contextSource: given.numCtx === undefined ? 'model' : 'request',
    shape: facts.shape,
    // A request with a draft model that does not fit gets the error.
    draft: await findDraft(services, model, load.draftModel).catch(() => undefined),
  };
}

function capabilitiesOf(model: {
  readonly facts: ModelFacts;
  readonly template: PromptTemplate;
  readonly files: ModelSource;
}): Capability[] {
  const { facts, template, files } = model;
  // Recordings are not passed on to remotes.
  if (files.kind !== 'local')
    return allCapabilities.filter((name) => name !== 'audio' && files.capabilities.includes(name));
  // A reranker embeds as well, but its vectors are of no use.
  if (facts.rankScores !== undefined) return ['rerank'];
  if (facts.embedsOnly) return ['embedding'];
  return [
    'completion',
    ...(seesImages(files, facts) ? (['vision'] as const) : []),
    ...(hearsAudio(facts) ? (['audio'] as const) : []),
    ...(template.supportsTools ? (['tools'] as const) : []),
    ...(template.supportsInsertion ? (['insert'] as const) : []),
    ...(template.thinkingTags ? (['thinking'] as const) : []),
  ];
}
