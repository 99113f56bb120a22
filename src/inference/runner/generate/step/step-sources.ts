// Everything that a step works with.

import type { Clock } from '../../../../base/time/clock.ts';
import type { PredictionHead } from '../../draft/prediction-head.ts';
import type { Outbox } from '../../events/outbox.ts';
import type { Batch } from '../../llama/batch.ts';
import type { EngineContext } from '../../llama/context.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import type { AdapterSwitch } from '../../load/context-factory.ts';
import type { Slots } from '../kv-cache/slots.ts';
import type { ChoicesAhead } from '../sampling/ahead/choice-pool.ts';
import type { PassCosts } from '../speculation/pass-costs.ts';

export interface StepSources {
  readonly context: EngineContext;
  readonly vocabulary: Vocabulary;
  readonly batch: Batch;
  /** Applies the adapters with these scales to the next passes. */
  readonly useAdapters: AdapterSwitch;
  readonly slots: Slots;
  readonly outbox: Outbox;
  readonly choicesAhead: Pick<ChoicesAhead, 'choose'>;
  readonly clock: Clock;
  readonly passCosts: PassCosts;
  /** Sees the passes of a sequence that is alone. Absent: the model has none. */
  readonly head?: PredictionHead | undefined;
  readonly contextLength: number;
  readonly numBatch: number;
  /** Whether a GPU computes, which takes time after `decode` has returned. */
  readonly hasDeviceMemory: boolean;
  /** How long a request may generate before it yields its slot to another client; Infinity: always. */
  readonly slotNanoseconds: number;
}
