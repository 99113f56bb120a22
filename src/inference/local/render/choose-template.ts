// Chooses what writes a model's prompts: the template of the request, the renderer that the model names, the model's own
// template, the Go template of the chat format in its weights, or the Jinja template in its weights.

import { createLruCache } from '../../../base/lru-cache.ts';
import { createRecognizeFormat } from '../../../formats/chat/formats/recognize-format.ts';
import type { JinjaRenderer, JinjaSource } from '../../../formats/chat/jinja/jinja-renderer.ts';
import { findParser } from '../../../formats/chat/parsers/find-parser.ts';
import { prefersWeights } from '../../../formats/chat/prefer-weights.ts';
import {
  createJinjaPromptTemplate,
  createRenderedTemplate,
  type PromptTemplate,
  withParser,
} from '../../../formats/chat/prompt-template.ts';
import { renderWithCalls } from '../../../formats/chat/render-calls.ts';
import { type PromptConversation, renderWithSystem } from '../../../formats/chat/render-prompt.ts';
import { findRenderer } from '../../../formats/chat/renderers/find-renderer.ts';
import type { Renderer } from '../../../formats/chat/renderers/renderer.ts';
import type { Compute } from '../../compute/compute.ts';
import type { OpenModel } from '../../model/model.ts';
import type { ModelFactsReader } from '../files/model-facts.ts';

interface ChosenTemplate {
  readonly template: PromptTemplate;
  /** The source text. */
  readonly text: string;
  /** Stop sequences of the format, for models that define none. */
  readonly stop: readonly string[];
  readonly isFromWeights?: true;
  /** What the model names and nobody has, if its weights do not say either how prompts or answers are written. */
  readonly missing?: MissingCodec;
}

export interface MissingCodec {
  readonly kind: 'renderer' | 'parser';
  readonly name: string;
}

/** `requested` is the template of the request; empty: none. `variables`: names of those that the request sets. */
export type ChooseTemplate = (
  requested: string,
  model: OpenModel,
  variables?: readonly string[],
) => Promise<ChosenTemplate>;

interface TemplateServices {
  readonly facts: ModelFactsReader;
  readonly jinja: Pick<JinjaRenderer, 'render'>;
  readonly compute: Compute;
}

/** For models without any template. */
export const plainTemplate = '{{ .Prompt }}';
const maxCached = 64;

export function createChooseTemplate({ facts, jinja, compute }: TemplateServices): ChooseTemplate {
  const recognizeFormat = createRecognizeFormat(jinja);
  // By the template text: models with the same template share it, also in requests whose choice is not remembered.
  const read = createLruCache<PromptTemplate>(maxCached);
  const fromModel = async (text: string, stop: readonly string[] = []): Promise<ChosenTemplate> => {
    const template = read.get(text) ?? (await readGoTemplate(compute, text));
    read.set(text, template);
    return { template, text, stop };
  };

  const fromWeights = async (chatTemplate: JinjaSource, variables: readonly string[]): Promise<ChosenTemplate> => {
    // A format has no variables.
    const hasVariables = variables.some((name) => chatTemplate.source.includes(name));
    const format = hasVariables ? undefined : await recognizeFormat(chatTemplate);
    if (format) return { ...(await fromModel(format.template, format.stop)), isFromWeights: true };
    const template = createJinjaPromptTemplate(chatTemplate, jinja);
    return { template, text: chatTemplate.source, stop: [], isFromWeights: true };
  };

  /** The template of the model, unless the one in its weights can do more. */
  const withoutRenderer = async (model: OpenModel, variables: readonly string[]): Promise<ChosenTemplate> => {
    // A template that is only the prompt does not replace an unknown renderer.
    const missing = toMissing('renderer', model.renderer);
    const isUsable = missing === undefined || model.template?.trim() !== plainTemplate;
    const own = model.template !== undefined && isUsable ? await fromModel(model.template) : undefined;
    const isNamed = missing !== undefined || model.parser !== '';
    if (own !== undefined && (isNamed || own.template.hasChannels)) return own;
    const chatTemplate = await facts.readChatTemplate(model.files);
    if (chatTemplate === undefined) return own ?? { ...(await fromModel(plainTemplate)), missing };
    if (own !== undefined && !prefersWeights(chatTemplate.source, { ...own.template, text: own.text })) return own;
    return fromWeights(chatTemplate, variables);
  };

  const choose: ChooseTemplate = async (requested, model, variables = []) => {
    if (requested !== '') return { template: await readGoTemplate(compute, requested), text: requested, stop: [] };
    const renderer = resolveRenderer(model);
    if (renderer === undefined) return withoutRenderer(model, variables);
    return { template: createRenderedTemplate(renderer), text: model.template ?? plainTemplate, stop: [] };
  };

  const withCodec: ChooseTemplate = async (requested, model, variables) => {
    const chosen = await choose(requested, model, variables);
    const parser = findParser(model.parser);
    if (parser !== undefined) return { ...chosen, template: withParser(chosen.template, parser) };
    // How the answers of a model are written can be seen in the template in its weights.
    const missingParser = chosen.isFromWeights ? undefined : toMissing('parser', model.parser);
    return { ...chosen, missing: chosen.missing ?? missingParser };
  };

  const chosen = createLruCache<ChosenTemplate>(maxCached);
  return async (requested, model, variables = []) => {
    // Not remembered: clients can send any number of templates and names of variables.
    if (requested !== '' || variables.length > 0) return withCodec(requested, model, variables);
    const key = keyOfCodec(model);
    const template = chosen.get(key) ?? (await withCodec('', model));
    chosen.set(key, template);
    return template;
  };
}

/** Everything that the choice depends on: a model that changes gets a new entry. */
function keyOfCodec({ displayName, files, template, renderer, parser, parameterSize }: OpenModel): string {
  const { key } = files;
  const chatTemplate = files.kind === 'local' ? files.chatTemplate : undefined;
  return JSON.stringify([displayName, key, chatTemplate, template, renderer, parser, parameterSize]);
}

function toMissing(kind: MissingCodec['kind'], name: string): MissingCodec | undefined {
  return name === '' ? undefined : { kind, name };
}

// The renderer of a model. "gemma4" stands for two renderers, for small and large models.
type NamedModel = Pick<OpenModel, 'displayName' | 'renderer' | 'parameterSize'>;

/** Undefined if the model names none, or one that is not known. */
export function resolveRenderer(model: NamedModel): Renderer | undefined {
  if (model.renderer !== 'gemma4') return findRenderer(model.renderer);
  return findRenderer(isLargeGemma(model) ? 'gemma4-large' : 'gemma4-small');
}

const billion = 1e9;
const units: Readonly<Record<string, number>> = { B: billion, M: 1e6, K: 1e3 };

/** The name of the model says it, or else the number of its parameters. */
function isLargeGemma({ displayName, parameterSize }: NamedModel): boolean {
  const name = displayName.toLowerCase();
  if (/e[24]b/.test(name)) return false;
  if (/12b|26b|31b/.test(name)) return true;
  const [, digits = '', unit = ''] = /^([\d.]+)([BMK])$/i.exec(parameterSize) ?? [];
  return Number(digits) * (units[unit.toUpperCase()] ?? 0) >= 12 * billion;
}

// The prompts of a Go template. It is parsed and rendered by tasks: its text can come from a caller.
async function readGoTemplate(compute: Compute, source: string): Promise<PromptTemplate> {
  const traits = await compute('readTemplate', source);
  const renderAsIs = (conversation: PromptConversation): Promise<string> =>
    compute('renderConversation', { ...conversation, messages: conversation.messages.map(withoutBytes), source });
  const render = (conversation: PromptConversation): Promise<string> =>
    renderWithCalls(conversation, traits, renderAsIs);
  return {
    ...traits,
    renderConversation: (conversation) =>
      traits.writesMessages ? renderWithSystem(conversation, render) : render(conversation),
    renderInsertion: ({ prompt, suffix }) => compute('renderInsertion', { prompt, suffix, source }),
  };
}

const noBytes = Buffer.alloc(0);

/** A template only counts images. Their bytes are not copied to another thread. */
function withoutBytes(message: PromptConversation['messages'][number]): PromptConversation['messages'][number] {
  return message.images === undefined ? message : { ...message, images: message.images.map(() => noBytes) };
}
