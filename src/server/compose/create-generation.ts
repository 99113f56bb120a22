// The services that run models, and what they share: facts about model files, templates, grammars, images.

import { randomUUID } from 'node:crypto';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import { createJinjaRenderer } from '../../formats/chat/jinja/jinja-renderer.ts';
import { createWebpConverter } from '../../formats/image/webp-converter.ts';
import { type Compute, createComputer } from '../../inference/compute/compute.ts';
import { createDescribeCustomTool } from '../../inference/local/constrain/custom-tool.ts';
import { createGrammars } from '../../inference/local/constrain/grammars.ts';
import { createDescribeModel } from '../../inference/local/describe-model.ts';
import { createModelFactsReader } from '../../inference/local/files/model-facts.ts';
import type { PromptServices } from '../../inference/local/prompt-model.ts';
import { createChooseTemplate } from '../../inference/local/render/choose-template.ts';
import type { DescribeCustomTool } from '../../inference/model/custom-tool.ts';
import { createOpenModels, type Engines } from '../../inference/remote/open-models.ts';
import type { Store } from '../../models/store/store.ts';
import { type Chat, createChat } from '../services/generation/chat.ts';
import { type CountPrompt, createCountPrompt } from '../services/generation/count-prompt.ts';
import { createEmbed, type Embed } from '../services/generation/embed.ts';
import { createGenerate, type Generate } from '../services/generation/generate.ts';
import { createLoadModel, type LoadModel } from '../services/generation/load-model.ts';
import type { ServiceObserver } from '../services/generation/observer.ts';
import { createPreloadModels, type PreloadModels } from '../services/generation/preload-models.ts';
import { createRenderPrompt, type RenderPrompt } from '../services/generation/render-prompt.ts';
import { createRerank, type Rerank } from '../services/generation/rerank.ts';
import { createDetokenize, createTokenize, type Detokenize, type Tokenize } from '../services/generation/tokens.ts';
import { createShowModel, type ShowModel } from '../services/management/show-model.ts';
import { createReadModelCard, type ReadModelCard } from '../services/models/model-card.ts';
import type { Inference } from './create-inference.ts';
import type { PackageFiles } from './package-files.ts';

export interface Generation {
  readonly generate: Generate;
  readonly chat: Chat;
  readonly loadModel: LoadModel;
  readonly preloadModels: PreloadModels;
  readonly embed: Embed;
  readonly rerank: Rerank;
  readonly tokenize: Tokenize;
  readonly detokenize: Detokenize;
  readonly countPrompt: CountPrompt;
  readonly renderPrompt: RenderPrompt;
  readonly describeCustomTool: DescribeCustomTool;
  readonly showModel: ShowModel;
  readonly readModelCard: ReadModelCard;
  readonly compute: Compute;
  /** Ends threads and processes. */
  stop(): void;
}

interface GenerationParts {
  readonly store: Store;
  readonly inference: Inference;
  readonly files: PackageFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: ServiceObserver;
  /** The engines that `inference` combines. */
  readonly engines: Engines;
  /** The caller of the current request. Throws if its key may not generate more tokens. */
  readonly admit: PromptServices['admit'];
}

export function createGeneration(parts: GenerationParts): Generation {
  const { store, inference, files, clock, logger, observer, engines, admit } = parts;
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
    convertWebp: webp.convert,
    newCallId: () => `call_${randomUUID().slice(0, 8)}`,
    admit,
    waitFailed: observer.waited,
    clock,
    logger,
  };
  const openModel = createOpenModels(prompts, engines);
  const describeModel = createDescribeModel({ facts, chooseTemplate, logger });
  const services = { store, openModel, clock, logger, observer };
  return {
    generate: createGenerate(services),
    chat: createChat(services),
    loadModel: createLoadModel({ ...services, engine }),
    preloadModels: createPreloadModels(services),
    embed: createEmbed(services),
    rerank: createRerank(services),
    tokenize: createTokenize(services),
    detokenize: createDetokenize(services),
    countPrompt: createCountPrompt(services),
    renderPrompt: createRenderPrompt(services),
    describeCustomTool: createDescribeCustomTool(grammars),
    showModel: createShowModel({ store, facts, describeModel, engine, logger }),
    readModelCard: createReadModelCard({ store, describeModel }),
    compute,
    stop() {
      jinja.stop();
      webp.stop();
      computer.stop();
    },
  };
}
