// A model in memory: where it is, and what its slots do.

import { plural, t } from '../language/language.ts';
import { formatSize, shownName } from '../ui/format.ts';
import { modelStates, StateDot } from '../ui/state-dot.tsx';
import { MeterBar } from './meter.tsx';
import type { ActiveRequest, ModelInMemory } from './now-data.ts';

interface LoadedModelCardProps {
  readonly model: ModelInMemory;
  /** The requests for all models. */
  readonly requests: readonly ActiveRequest[];
}

export function LoadedModelCard({ model, requests }: LoadedModelCardProps) {
  const { name, state, details, backend = '', context, fallback, gpu, remote_host: remote = '' } = model;
  const { shared_with: shared } = model;
  const memory = shared === undefined ? toMemoryParts(model) : [];
  const facts = [details.parameter_size, details.quantization_level, backend, remote].filter((fact) => fact !== '');
  const running = requests.filter((request) => request.model === name && request.state === 'running');
  return (
    <section class="card model-card" aria-label={name}>
      <h3>
        <StateDot state={state} />
        {shownName(name)}
        <span class="quiet">{t(modelStates[state])}</span>
      </h3>
      <p class="quiet">{facts.join(' · ')}</p>
      {shared === undefined ? null : (
        <p class="quiet">{t('Uses the weights of {model}', { model: shownName(shared) })}</p>
      )}
      {memory.length === 0 ? null : (
        <ul class="memory" aria-label={t('Memory')}>
          {memory.map(({ device, bytes }) => (
            <li key={device}>
              <span>{device}</span>
              <span>{formatSize(bytes)}</span>
            </li>
          ))}
        </ul>
      )}
      {context === undefined ? null : <Slots context={context} running={running} />}
      {gpu?.expert_layers_in_memory === undefined ? null : (
        <p class="quiet">{t('Experts of {count} layers in main memory', { count: gpu.expert_layers_in_memory })}</p>
      )}
      {[fallback, gpu?.reduced].map((reason) => (reason === undefined ? null : <p key={reason}>{reason}</p>))}
    </section>
  );
}

/** Where the memory of a model is: main memory last, and only if something is there. */
export function toMemoryParts({ size, size_vram: onGpus, gpu }: ModelInMemory) {
  const parts = (gpu?.devices ?? []).map(({ name, size_vram: bytes }) => ({ device: name, bytes }));
  const named = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  // The server may not know on which GPU it is.
  if (onGpus > named) parts.push({ device: t('GPU'), bytes: onGpus - named });
  if (size > onGpus) parts.push({ device: t('Main memory'), bytes: size - onGpus });
  return parts;
}

interface SlotsProps {
  readonly context: NonNullable<ModelInMemory['context']>;
  readonly running: readonly ActiveRequest[];
}

/** A long answer can be paused for others, so that more requests run than there are slots. */
function Slots({ context: { length, parallel: count }, running }: SlotsProps) {
  const used = running.map(({ prompt_tokens: prompt, generated_tokens: generated }) => prompt + generated);
  const bars = Array.from({ length: Math.max(count, used.length) }, (_, index) => used[index]);
  return (
    <>
      <ul class="slots" aria-label={t('Slots')}>
        {bars.map((tokens, index) => (
          <li key={index}>
            <MeterBar label={describeSlot(index + 1, tokens, length)} share={(tokens ?? 0) / length} />
          </li>
        ))}
      </ul>
      <p class="quiet">
        {plural(
          count,
          '{used} of {count} slot in use, {length} tokens each',
          '{used} of {count} slots in use, {length} tokens each',
          { used: running.length, length },
        )}
      </p>
    </>
  );
}

function describeSlot(number: number, tokens: number | undefined, length: number): string {
  if (tokens === undefined) return t('Slot {number}: free', { number });
  return t('Slot {number}: {used} of {total} tokens', { number, used: tokens, total: length });
}
