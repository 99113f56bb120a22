// The services that run models, and what they share: facts about model files, templates, grammars, images.

import { randomUUID } from 'node:crypto';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import { createJinjaRenderer } from '../../formats/chat/jinja/jinja-renderer.ts';
import { createWebpConverter } from '../../formats/image/webp-converter.ts';
import type { Store } from '../../models/store/store.ts';
import { type Compute, createComputer } from '../services/compute/compute.ts';
import { type Chat, createChat } from '../services/generation/chat.ts';
import { type CountPrompt, createCountPrompt } from '../services/generation/count-prompt.ts';
import { createDescribeCustomTool, type DescribeCustomTool } from '../services/generation/custom-tool.ts';
import { createEmbed, type Embed } from '../services/generation/embed.ts';
import { createGenerate, type Generate } from '../services/generation/generate.ts';
import { createGrammars } from '../services/generation/grammars.ts';
import type { ServiceObserver } from '../services/generation/observer.ts';
import { createRerank, type Rerank } from '../services/generation/rerank.ts';
import { createDetokenize, createTokenize, type Detokenize, type Tokenize } from '../services/generation/tokens.ts';
import { createShowModel, type ShowModel } from '../services/management/show-model.ts';
import { createChooseTemplate } from '../services/models/choose-template.ts';
import { createReadModelCard, type ReadModelCard } from '../services/models/model-card.ts';
import { createModelFactsReader } from '../services/models/model-facts.ts';
import type { Inference } from './create-inference.ts';
import type { PackageFiles } from './package-files.ts';

export interface Generation {
  readonly generate: Generate;
  readonly chat: Chat;
  readonly embed: Embed;
  readonly rerank: Rerank;
  readonly tokenize: Tokenize;
  readonly detokenize: Detokenize;
  readonly countPrompt: CountPrompt;
  readonly describeCustomTool: DescribeCustomTool;
  readonly showModel: ShowModel;
  readonly readModelCard: ReadModelCard;
  readonly compute: Compute;
  /** Ends threads and processes. */
  stop(): void;
}

export interface GenerationParts {
  readonly store: Store;
  readonly inference: Inference;
  readonly files: PackageFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: ServiceObserver;
}

export function createGeneration(parts: GenerationParts): Generation {
  const { store, inference, files, clock, logger, observer } = parts;
  const { engine, sandbox } = inference;
  const facts = createModelFactsReader();
  const jinja = createJinjaRenderer(clock, sandbox);
  const computer = createComputer({ clock, script: files.computeThread });
  const { compute } = computer;
  const chooseTemplate = createChooseTemplate({ facts, jinja, compute });
  const webp = createWebpConverter(clock);
  const grammars = createGrammars(compute);
  const conversions = { grammars, convertWebp: webp.convert };
  const services = { store, engine, facts, chooseTemplate, ...conversions, clock, logger, observer };
  return {
    generate: createGenerate(services),
    chat: createChat({ ...services, newCallId: () => `call_${randomUUID().slice(0, 8)}` }),
    embed: createEmbed(services),
    rerank: createRerank(services),
    tokenize: createTokenize(services),
    detokenize: createDetokenize(services),
    countPrompt: createCountPrompt(services),
    describeCustomTool: createDescribeCustomTool(grammars),
    showModel: createShowModel({ store, facts, chooseTemplate, engine, logger }),
    readModelCard: createReadModelCard({ store, facts, chooseTemplate }),
    compute,
    stop() {
      jinja.stop();
      webp.stop();
      computer.stop();
    },
  };
}
