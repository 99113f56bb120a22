// Refuses what a model cannot do, before it is loaded.

import { HearthError } from '../../base/errors.ts';
import type { PromptTemplate } from '../../formats/chat/prompt-template.ts';
import {
  type LoadOptions,
  type OptionValues,
  type ParsedOptions,
  resolveOptions,
  type SampleOptions,
} from '../../models/options.ts';
import type { Completion, Conversation } from '../model/conversation.ts';
import type { OpenRequest } from '../model/model.ts';
import { isEncodedAudio } from '../model/read-media.ts';
import { hearsAudio, type ModelFacts, seesImages } from './files/model-facts.ts';
import type { MissingCodec } from './render/choose-template.ts';
import { checkThink } from './render/thinking.ts';

export interface CheckedModel extends Pick<OpenRequest, 'requested' | 'model'> {
  readonly facts: ModelFacts;
  readonly template: PromptTemplate;
}

export function checkConversation(conversation: Conversation, checked: CheckedModel): void {
  const { model, template, requested } = checked;
  if (conversation.tools.length > 0 && !template.supportsTools)
    throw new HearthError('unsupported', `${model.displayName} does not support tools`);
  checkMedia(
    conversation.messages.flatMap(({ encodedImages }) => encodedImages),
    checked,
  );
  checkThink(conversation, requested, template);
}

export function checkCompletion(completion: Completion, checked: CheckedModel): void {
  const { model, template, requested } = checked;
  if (completion.suffix !== '' && !template.supportsInsertion)
    throw new HearthError('unsupported', `${model.displayName} does not support insert`);
  checkMedia(completion.encodedImages, checked);
  checkThink(completion, requested, template);
}

function checkMedia(encoded: readonly string[], { requested, model: { files }, facts }: CheckedModel): void {
  // A remote refuses what its model cannot do.
  if (files.kind !== 'local') return;
  const recordings = encoded.filter(isEncodedAudio);
  const refuse = (what: string): never => {
    throw new HearthError('unsupported', `"${requested.text}" does not support ${what}`);
  };
  if (recordings.length > 0 && !hearsAudio(facts)) refuse('audio');
  if (recordings.length < encoded.length && !seesImages(files, facts)) refuse('images');
}

/** For a model that names a renderer or parser that is not known. Prompts without turns, or answers that nobody reads,
 * would be bad without a visible reason. */
export function noCodec(model: string, { kind, name }: MissingCodec): HearthError {
  const message = `${model} needs the ${kind} "${name}", which this version does not have, and its weights have no chat template. Create a model FROM it with a TEMPLATE, or send raw prompts.`;
  return new HearthError('unsupported', message);
}

export function noGaps(model: string): HearthError {
  const message = `${model} does not support infill: its vocabulary has no tokens for the text before and after a gap. Models for code have them, such as Qwen2.5-Coder.`;
  return new HearthError('unsupported', message);
}

// The options of a request: its own override the model's, which override the defaults.

// Every token is compared with every stop sequence: an unlimited list would slow down all requests of the model.
const maxStops = 128;
const maxStopLength = 1024;

/** The options of the load. Throws `bad_request` for stop sequences beyond the limits. */
export function resolveRequestOptions(modelOptions: OptionValues, { values }: ParsedOptions): LoadOptions {
  const options = resolveOptions(modelOptions, values);
  checkStops(options.sample);
  return options.load;
}

function checkStops({ stop }: SampleOptions): void {
  if (stop.length > maxStops)
    throw new HearthError('bad_request', `stop has ${stop.length} entries; the maximum is ${maxStops}`);
  if (stop.some((text) => text.length > maxStopLength))
    throw new HearthError('bad_request', `a stop sequence is longer than ${maxStopLength} characters`);
}
