// The services that run models, and what they share: facts about model files, templates, grammars, images.

import { randomUUID } from 'node:crypto';
import type { Logger } from '../../base/logger.ts';
import { currentRequest } from '../../base/request/request-scope.ts';
import type { OpenTokenMeter } from '../../base/request/token-meter.ts';
import type { Clock } from '../../base/time/clock.ts';
import { createJinjaRenderer } from '../../formats/chat/jinja/jinja-renderer.ts';
import { createWebpConverter } from '../../formats/image/webp-converter.ts';
import { createComputer } from '../../inference/compute/compute.ts';
import type { Lease } from '../../inference/engine/ports.ts';
import type { Residency } from '../../inference/engine/residency/residency.ts';
import { createDescribeCustomTool } from '../../inference/local/constrain/custom-tool.ts';
import { createGrammars } from '../../inference/local/constrain/hold-calls.ts';
import { createDescribeModel } from '../../inference/local/describe-model.ts';
import { createModelFactsReader } from '../../inference/local/files/model-facts.ts';
import { type Acquire, type Caller, PromptModel, type PromptServices } from '../../inference/local/prompt-model.ts';
import { createChooseTemplate } from '../../inference/local/render/choose-template.ts';
import { SpeechModel } from '../../inference/local/speech-model.ts';
import type { OpenForRequest } from '../../inference/model/model.ts';
import type { RemoteLease } from '../../inference/remote/remote-lease.ts';
import { RemoteModel } from '../../inference/remote/remote-model.ts';
import type { Store } from '../../models/store/store.ts';
import type { Settings } from '../../settings/setting-table.ts';
import type { QuotaControl } from '../server-feature.ts';
import { createCompare } from '../services/generation/compare.ts';
import { createCountPrompt } from '../services/generation/count-prompt.ts';
import { createEmbed } from '../services/generation/embed.ts';
import { FallBack } from '../services/generation/fall-back.ts';
import { createGenerate } from '../services/generation/generate.ts';
import { createInfill } from '../services/generation/infill.ts';
import { createLoadModel } from '../services/generation/load-model.ts';
import { createChat } from '../services/generation/measure-answer.ts';
import type { ServiceObserver } from '../services/generation/observer.ts';
import { createPreloadModels } from '../services/generation/preload-models.ts';
import { createRenderPrompt } from '../services/generation/render-prompt.ts';
import { createClassify, createRerank } from '../services/generation/rerank.ts';
import { createScore } from '../services/generation/score.ts';
import { createDetokenize, createReadPieces, createTokenize } from '../services/generation/tokens.ts';
import { createTranscribe } from '../services/generation/transcribe.ts';
import { createShowModel, type ShowModel } from '../services/management/show-model.ts';
import type { ModelAliases } from '../services/models/model-aliases.ts';
import { createReadModelCard } from '../services/models/model-card.ts';
import type { Inference } from './create-inference.ts';
import type { PackageFiles } from './package-files.ts';

interface GenerationParts {
  readonly settings: Pick<Settings, 'audioSize' | 'audioTime'>;
  readonly store: Store;
  readonly inference: Inference;
  readonly files: PackageFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: ServiceObserver;
  /** The engines that `inference` combines. */
  readonly engines: Engines;
  readonly openMeter: OpenTokenMeter;
  readonly aliases: ModelAliases;
  readonly describeCaller: PromptServices['describeCaller'];
}

export function createGeneration(parts: GenerationParts) {
  const { store, inference, files, clock, logger, observer, engines, openMeter, aliases, describeCaller } = parts;
  const { settings } = parts;
  const { engine, sandbox } = inference;
  const facts = createModelFactsReader();
  const jinja = createJinjaRenderer(clock, sandbox);
  const computer = createComputer({ clock, script: files.computeThread });
  const { compute } = computer;
  const chooseTemplate = createChooseTemplate({ facts, jinja, compute });
  const webp = createWebpConverter(clock);
  const grammars = createGrammars(compute);
  const prompts = {
    facts,
    chooseTemplate,
    grammars,
    media: {
      convertWebp: (file: Buffer) => webp.convert(file, currentRequest()?.client ?? ''),
      decodeAudio: inference.decodeAudio,
    },
    newCallId: () => `call_${randomUUID().slice(0, 8)}`,
    describeCaller,
    waitFailed: observer.waited,
    clock,
    logger,
  };
  const openModel = createOpenModels(prompts, engines);
  const describeModel = createDescribeModel({ facts, chooseTemplate, logger });
  const services = { store, openModel, openMeter, clock, logger, observer };
  const fallBack = new FallBack(aliases, logger);
  const generate = createGenerate(services);
  const tokenize = createTokenize(services);
  const showModel = createShowModel({ store, facts, describeModel, engine, logger });
  return {
    generate: fallBack.ofStream(generate),
    chat: fallBack.ofStream(createChat(services)),
    loadModel: fallBack.ofCall(createLoadModel({ ...services, engine })),
    preloadModels: createPreloadModels(services),
    embed: fallBack.ofCall(createEmbed(services)),
    transcribe: fallBack.ofStream(createTranscribe(services)),
    rerank: fallBack.ofCall(createRerank(services)),
    classify: fallBack.ofCall(createClassify(services)),
    score: fallBack.ofCall(createScore({ ...services, generate })),
    compare: createCompare({ generate, tokenize }),
    tokenize: fallBack.ofCall(tokenize),
    detokenize: fallBack.ofCall(createDetokenize(services)),
    readPieces: createReadPieces(services),
    infill: createInfill(services),
    countPrompt: fallBack.ofCall(createCountPrompt(services)),
    renderPrompt: createRenderPrompt(services),
    describeCustomTool: createDescribeCustomTool(grammars),
    /** An alias is shown as the first model of its list. */
    showModel: (input: Parameters<ShowModel>[0]) => showModel({ ...input, model: aliases.firstOf(input.model) }),
    readModelCard: createReadModelCard({ store, describeModel }),
    audioLimits: { bytes: settings.audioSize, seconds: settings.audioTime / 1000 },
    compute,
    /** Ends threads and processes. */
    stop() {
      jinja.stop();
      webp.stop();
      computer.stop();
    },
  };
}

// Opens models for requests: those whose prompts are rendered here, and those that a remote renders prompts for.

interface Engines {
  readonly local: { readonly acquire: Acquire<Lease> };
  readonly remote: { readonly acquire: Acquire<RemoteLease> };
  readonly hosted: { readonly acquire: Acquire<RemoteLease> };
  /** Holds the process of another engine. */
  readonly hold: Residency['acquire'];
}

export function createOpenModels(services: PromptServices, { local, remote, hosted, hold }: Engines): OpenForRequest {
  return async (request) => {
    const { files, template } = request.model;
    if (files.kind === 'hosted' && files.engine === 'whisper') return new SpeechModel(services, request, hold);
    if (files.kind === 'local') return PromptModel.open(services, request, local.acquire);
    const { acquire } = files.kind === 'remote' ? remote : hosted;
    const prompts = await PromptModel.open(services, request, acquire);
    return template === undefined ? new RemoteModel(services, request, prompts) : prompts;
  };
}

/** Describes the caller of the current request. */
export function describeCaller(): Caller {
  const request = currentRequest();
  if (request === undefined) return {};
  const { id: requestId, client, background, partition, session, key } = request;
  return key === undefined
    ? { requestId, client, background, partition, session }
    : { requestId, client, background, partition: key.group, session, weight: key.weight };
}

/** Counts the tokens of requests with keys. */
export function createOpenTokenMeter(quotas: QuotaControl | undefined): OpenTokenMeter {
  return (expected) => {
    const key = currentRequest()?.key;
    return key === undefined || quotas === undefined ? unlimited : quotas.openMeter(key, expected);
  };
}

const unlimited = { count: () => true, close: () => {} };
