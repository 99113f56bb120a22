// A model whose prompts are rendered here: render → constrain → generate → split.

import { HearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { openLater, pipe } from '../../base/pipe.ts';
import type { Clock } from '../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../base/time/duration.ts';
import type { PromptTemplate } from '../../formats/chat/prompt-template.ts';
import { type LoadOptions, type OptionValues, resolveOptions, type SampleOptions } from '../../models/options.ts';
import type { AcquireRequest, GenerateRequest, Lease } from '../engine/ports.ts';
import type { AnswerEvent, AnswerStarted } from '../model/answer-event.ts';
import type { Completion, Conversation } from '../model/conversation.ts';
import type { Gap, GapPrompt, Model, OpenRequest, RenderedPrompt, TokenizeOptions } from '../model/model.ts';
import { checkMediaCount, decodeMedia, type MediaDecoders } from '../model/read-media.ts';
import { readMessages } from '../model/read-messages.ts';
import type { EmbedRequest, RankRequest } from '../model/vectors.ts';
import {
  type CheckedModel,
  checkCompletion,
  checkConversation,
  noCodec,
  noGaps,
  resolveRequestOptions,
} from './check-request.ts';
import { constrainAnswer, type Grammars, holdCalls, nameTools, offeredTools } from './constrain/hold-calls.ts';
import { type CheckedSchema, reportViolations, schemaToCheck } from './constrain/report-violations.ts';
import type { ModelFacts, ModelFactsReader } from './files/model-facts.ts';
import { findDraft, resolveFiles } from './files/resolve-files.ts';
import type { ChooseTemplate } from './render/choose-template.ts';
import { renderCompletion } from './render/render-completion.ts';
import { renderComplete, renderFitting } from './render/render-conversation.ts';
import { renderGap } from './render/render-gap.ts';
import { ignoredBy, resolveThink } from './render/thinking.ts';
import {
  type AnswerSyntax,
  controlTokensOf,
  engineOptions,
  parserOf,
  splitAnswer,
  thinkingOf,
  unenforcedIn,
} from './split-answer.ts';

export interface PromptServices {
  readonly facts: ModelFactsReader;
  readonly chooseTemplate: ChooseTemplate;
  readonly grammars: Grammars;
  readonly media: MediaDecoders;
  /** Returns a unique id. */
  readonly newCallId: () => string;
  /** The caller of the current request. */
  readonly describeCaller: () => Caller;
  /** A request could not get its model. */
  readonly waitFailed: (model: string, seconds: number) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type Caller = Pick<AcquireRequest, 'requestId' | 'client' | 'weight' | 'background' | 'partition' | 'session'>;

export type Acquire<Held extends Lease> = (request: AcquireRequest, signal: AbortSignal) => Promise<Held>;

/** What to generate, and what is known about the answer before it starts. */
interface Generation {
  readonly request: GenerateRequest;
  readonly notes: Pick<AnswerStarted, 'prompt' | 'droppedMessages' | 'unenforced' | 'ignored'>;
  readonly syntax: AnswerSyntax;
  /** The schema that the answer is compared with. Absent: its grammar enforces everything. */
  readonly schema?: CheckedSchema | undefined;
}

export class PromptModel<Held extends Lease = Lease> implements Model {
  readonly name: string;
  readonly rankScores: ModelFacts['rankScores'];
  readonly labels: ModelFacts['labels'];
  readonly #services: PromptServices;
  readonly #request: OpenRequest;
  readonly #facts: ModelFacts;
  readonly #loadOptions: LoadOptions;
  readonly #acquire: Acquire<Held>;
  #lease: Held | undefined;
  #loadedAt = 0;

  static async open<Held extends Lease>(
    services: PromptServices,
    request: OpenRequest,
    acquire: Acquire<Held>,
  ): Promise<PromptModel<Held>> {
    return new PromptModel(services, request, { acquire, facts: await services.facts.read(request.model.files) });
  }

  private constructor(
    services: PromptServices,
    request: OpenRequest,
    { acquire, facts }: { readonly acquire: Acquire<Held>; readonly facts: ModelFacts },
  ) {
    this.name = request.model.displayName;
    this.rankScores = facts.rankScores;
    this.labels = facts.labels;
    this.#services = services;
    this.#request = request;
    this.#facts = facts;
    this.#loadOptions = resolveRequestOptions(this.#modelOptions([]), request.options);
    this.#acquire = acquire;
  }

  async load(signal: AbortSignal, task?: 'generate' | 'chat'): Promise<void> {
    if (task !== undefined) this.checkGenerates(task);
    await this.lease(signal);
  }

  /** The loaded model, until the release. */
  async lease(signal: AbortSignal): Promise<Held> {
    if (this.#lease !== undefined) return this.#lease;
    const { clock, describeCaller, waitFailed } = this.#services;
    const { model, options, keepAliveMs } = this.#request;
    const started = clock.monotonic();
    try {
      const draft = this.#facts.embedsOnly ? undefined : await this.#findDraft();
      this.#lease = await this.#acquire(
        {
          name: this.name,
          source: resolveFiles(model.files, this.#facts),
          options: this.#loadOptions,
          given: this.given(),
          contextSource: options.values.numCtx === undefined ? 'model' : 'request',
          shape: this.#facts.shape,
          draft,
          keepAlive: keepAliveMs,
          ...describeCaller(),
        },
        signal,
      );
    } catch (error) {
      // On success the wait is recorded later, when the runner starts the request.
      waitFailed(this.name, (clock.monotonic() - started) / nanosecondsPerSecond);
      throw error;
    }
    this.#loadedAt = clock.monotonic();
    this.#request.times?.acquired(this.#loadedAt, this.#lease.loadTime);
    return this.#lease;
  }

  /** The options that the request or the model sets. */
  given(): OptionValues {
    return { ...this.#modelOptions([]), ...this.#request.options.values };
  }

  answer(conversation: Conversation, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    return openLater(async () => this.#generate(await this.#planAnswer(conversation, signal), signal));
  }

  complete(completion: Completion, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    return openLater(async () => this.#generate(await this.#planCompletion(completion, signal), signal));
  }

  async renderAnswer(conversation: Conversation, signal: AbortSignal) {
    return toRendered(await this.#planAnswer(conversation, signal));
  }

  async renderCompletion(completion: Completion, signal: AbortSignal) {
    return toRendered(await this.#planCompletion(completion, signal));
  }

  async embed(request: EmbedRequest, signal: AbortSignal) {
    return (await this.lease(signal)).embed(request, signal);
  }

  async rank(request: RankRequest, signal: AbortSignal) {
    return (await this.lease(signal)).rank(request, signal);
  }

  async countPrompt(conversation: Conversation, signal: AbortSignal): Promise<number> {
    const offered = offeredTools(conversation.tools, conversation.toolChoice ?? 'auto');
    const { template } = await this.#openTemplate('chat', { variables: conversation.templateVariables });
    const { tools } = nameTools(offered, template);
    checkConversation({ ...conversation, tools }, this.#checked(template));
    const messages = await readMessages(conversation.messages, this.#services.media);
    const lease = await this.lease(signal);
    const think = resolveThink(template, conversation.think);
    const parts = { messages, model: this.#request.model, template, think };
    const { prompt, images } = await renderComplete({ ...conversation, tools }, parts);
    return lease.countTokens(prompt, images.length);
  }

  async tokenize(text: string, options: TokenizeOptions, signal: AbortSignal) {
    return (await this.lease(signal)).tokenize(text, options);
  }

  async piecesOf(tokens: readonly number[], signal: AbortSignal) {
    return (await this.lease(signal)).piecesOf(tokens);
  }

  async tokenizeGap(gap: Gap, signal: AbortSignal): Promise<GapPrompt> {
    this.checkGenerates('generate');
    const tokens = await this.#services.facts.readGapTokens(this.#request.model.files);
    if (tokens === undefined) throw noGaps(this.name);
    const lease = await this.lease(signal);
    return renderGap(gap, { tokens, lease });
  }

  async detokenize(tokens: readonly number[], signal: AbortSignal) {
    return (await this.lease(signal)).detokenize(tokens);
  }

  release(): void {
    this.#lease?.release();
    this.#lease = undefined;
    this.#request.onRelease();
  }

  /** Throws if the model can only embed or rank. */
  checkGenerates(task: 'generate' | 'chat'): void {
    if (!this.#facts.embedsOnly) return;
    throw new HearthError('unsupported', `"${this.#request.requested.text}" does not support ${task}`);
  }

  /** Adds what this request knows to the events of its lease. */
  describe(events: AsyncIterable<AnswerEvent>, notes: Generation['notes']): AsyncGenerator<AnswerEvent> {
    const { clock } = this.#services;
    const { startedAt } = this.#request;
    return pipe(events, {
      push: (event: AnswerEvent, pass: (event: AnswerEvent) => void) => {
        if (event.type === 'started')
          pass({ ...event, ...notes, ignored: joinIgnored(event, notes), remote: this.#remote() });
        else if (event.type === 'done') {
          const totalNanoseconds = clock.monotonic() - startedAt;
          pass({ ...event, totalNanoseconds, loadNanoseconds: this.#loadedAt - startedAt });
        } else pass(event);
      },
    });
  }

  #generate({ request, notes, syntax, schema }: Generation, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    if (this.#lease === undefined) throw new HearthError('internal', `${this.name} is not loaded`);
    const events = pipe(this.describe(this.#lease.generate(request, signal), notes), splitAnswer(syntax));
    return schema === undefined ? events : reportViolations(events, schema, this.#services.grammars);
  }

  async #planAnswer(conversation: Conversation, signal: AbortSignal): Promise<Generation> {
    const { grammars, media, newCallId } = this.#services;
    const { toolChoice = 'auto', parallelCalls = true } = conversation;
    const offered = offeredTools(conversation.tools, toolChoice);
    const format = await grammars.ofFormat(conversation.format);
    const { template, options } = await this.#openTemplate('chat', { variables: conversation.templateVariables });
    const { tools, names } = nameTools(offered, template);
    checkConversation({ ...conversation, tools }, this.#checked(template));
    const layout = template.callSyntax?.layout;
    const held = await holdCalls(grammars, { tools, choice: toolChoice, layout, parallel: parallelCalls });
    const messages = await readMessages(conversation.messages, media);
    const lease = await this.lease(signal);
    const think = resolveThink(template, conversation.think);
    const parts = { messages, model: this.#request.model, template, think };
    const { prompt, images, droppedMessages } = await renderFitting({ ...conversation, tools }, parts, lease);
    const constraint = constrainAnswer(template, format?.grammar, held);
    const controlTokens = controlTokensOf(template, { thinks: Boolean(think), calls: tools.length > 0 });
    return {
      request: {
        ...engineOptions(conversation),
        prompt,
        images,
        context: [],
        options,
        wantContext: false,
        keepTokens: controlTokens,
        ...constraint,
        thinking: thinkingOf(template, { ...conversation, ...constraint, think, prompt }),
      },
      notes: { prompt, droppedMessages, ...unenforcedIn(format), ignored: ignoredBy(template, conversation) },
      syntax: {
        parser: parserOf(template, { think, prompt, tools, lastMessage: messages.at(-1) }),
        controlTokens,
        newCallId,
        names,
        singleCall: !parallelCalls,
      },
      schema: schemaToCheck(conversation.format, format),
    };
  }

  async #planCompletion(completion: Completion, signal: AbortSignal): Promise<Generation> {
    const { grammars, media } = this.#services;
    const { encodedImages, raw, promptTokens } = completion;
    const isRaw = raw || promptTokens !== undefined;
    const format = await grammars.ofFormat(completion.format);
    const { template, options } = await this.#openTemplate('generate', { isRaw });
    checkCompletion(completion, this.#checked(template));
    checkMediaCount(encodedImages.length);
    const images = await decodeMedia(encodedImages, media);
    await this.lease(signal);
    const common = { ...engineOptions(completion), images, options };
    const unenforced = unenforcedIn(format);
    const schema = schemaToCheck(completion.format, format);
    if (isRaw) {
      const { prompt, fillsGap } = completion;
      const exactTokens = (promptTokens ?? []).length > 0;
      const given = { prompt, context: promptTokens ?? [], exactTokens, fillsGap };
      const request = { ...common, ...given, wantContext: false, grammar: format?.grammar };
      return { request, notes: { prompt, ...unenforced }, syntax: {}, schema };
    }
    const think = resolveThink(template, completion.think);
    const prompt = await renderCompletion(completion, { model: this.#request.model, template, images, think });
    const constraint = constrainAnswer(template, format?.grammar);
    const controlTokens = controlTokensOf(template, { thinks: Boolean(think), calls: false });
    return {
      request: {
        ...common,
        prompt,
        context: completion.context,
        wantContext: true,
        keepTokens: controlTokens,
        ...constraint,
        thinking: thinkingOf(template, { ...completion, ...constraint, think, prompt }),
      },
      notes: { prompt, ...unenforced },
      syntax: { parser: parserOf(template, { think, prompt, tools: [] }), controlTokens },
      schema,
    };
  }

  #modelOptions(stop: readonly string[]): OptionValues {
    const { optionDefaults, model } = this.#request;
    return { ...optionDefaults, ...(stop.length > 0 ? { stop } : {}), ...model.options };
  }

  /** The template of the request or the model, and the sampling options with the stop sequences of its format. */
  async #openTemplate(
    task: 'generate' | 'chat',
    { isRaw = false, variables = {} }: { readonly isRaw?: boolean; readonly variables?: object | undefined } = {},
  ): Promise<{ readonly template: PromptTemplate; readonly options: SampleOptions }> {
    this.checkGenerates(task);
    const { template, stop, missing } = await this.#services.chooseTemplate(
      this.#request.template ?? '',
      this.#request.model,
      Object.keys(variables),
    );
    if (missing !== undefined && !isRaw) throw noCodec(this.name, missing);
    const { sample } = resolveOptions(this.#modelOptions(stop), this.#request.options.values);
    return { template, options: sample };
  }

  #checked(template: PromptTemplate): CheckedModel {
    return { ...this.#request, facts: this.#facts, template };
  }

  #remote(): AnswerStarted['remote'] {
    const { files } = this.#request.model;
    return files.kind === 'remote' ? { remote: files.remote, model: files.model } : undefined;
  }

  #findDraft() {
    const { model, findWeights } = this.#request;
    return findDraft({ ...this.#services, findWeights }, model, this.#loadOptions.draftModel);
  }
}

function toRendered({ request: { prompt, images = [] } }: Generation): RenderedPrompt {
  return { prompt, images: images.length };
}

function joinIgnored(...parts: readonly Pick<AnswerStarted, 'ignored'>[]): AnswerStarted['ignored'] {
  const ignored = parts.flatMap((part) => part.ignored ?? []);
  return ignored.length === 0 ? undefined : ignored;
}
