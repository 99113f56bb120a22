// The state of the residency machine in the terms of the engine port.

import type { Clock } from '../../../base/time/clock.ts';
import type { MemoryUse } from '../../protocol/messages.ts';
import { noDeviceBytes, sumOfDevices } from '../planning/device-bytes.ts';
import { measuredDevices, measuredMemory } from '../planning/estimate-memory.ts';
import type { LoadedModel, ModelQueue, ResidentModel } from '../ports.ts';
import type { StartedModel } from '../process/start-model.ts';
import { type MemoryFigures, type ModelState, phaseOf, type ResidencyState, waitingIn } from './residency-state.ts';
import type { Resident } from './resident.ts';

export function describeLoaded(model: ModelState, started: StartedModel, timeline: Timeline): LoadedModel {
  const { name, key } = model;
  return { name, key, ...toLoaded(started), memory: memoryOf(model, started), expiresAt: expiryOf(model, timeline) };
}

export function describeResident(
  state: ResidencyState,
  model: ModelState,
  resident: Pick<Resident, 'started' | 'step'> | undefined,
  timeline: Timeline,
): ResidentModel {
  const { started, step } = resident ?? {};
  const { id, name, otherNames, key } = model;
  const ofKey = state.callers.filter((caller) => caller.key === key);
  const phase = phaseOf(state, model);
  const wakingStep = phase === 'loading' ? 'waking up' : undefined;
  return {
    id,
    name,
    otherNames,
    key,
    state: phase,
    memory: memoryOf(model, started),
    expiresAt: expiryOf(model, timeline),
    leases: ofKey.filter((caller) => caller.granted && caller.model === id).length,
    queued: waitingIn({ callers: ofKey }).length,
    loaded: started && toLoaded(started),
    step: started === undefined ? step : wakingStep,
  };
}

export function describeQueues(state: ResidencyState, timeline: Timeline): ModelQueue[] {
  const waiting = waitingIn(state);
  const keys = [...new Set(waiting.map(({ key }) => key))];
  return keys.map((key) => {
    const callers = waiting.filter((caller) => caller.key === key);
    return {
      name: callers[0]?.name ?? '',
      key,
      waiting: callers.map(({ id, requestId = String(id), background, since, granted }) => ({
        id: requestId,
        since: timeline.toEpoch(since),
        for: granted ? 'runner' : 'model',
        background,
      })),
    };
  });
}

function toLoaded(started: StartedModel): NonNullable<ResidentModel['loaded']> {
  const { runner, info, plan, backend, fallback, layers, reduced } = started;
  const { counters, prefixBytes, contextTokens } = runner;
  return { info, plan, counters, prefixBytes, contextTokens, backend, fallback, layers, reduced };
}

/** As reported by the runner, otherwise as estimated. */
function memoryOf({ bytes, devices }: ModelState, started: StartedModel | undefined): MemoryUse {
  const deviceBytes = sumOfDevices(devices);
  const estimated = {
    totalBytes: bytes + deviceBytes,
    deviceBytes,
    devices: [...devices].map(([name, size]) => ({ name, bytes: size, isUnified: false })),
  };
  return started?.runner.memory ?? estimated;
}

/** A draining model leaves as soon as it can. */
function expiryOf({ until, keepAlive, retired, claimed, stopping }: ModelState, timeline: Timeline): number {
  if (retired || claimed || stopping) return timeline.toEpoch(timeline.now());
  return timeline.toEpoch(until ?? timeline.now() + keepAlive);
}

// The memory of a model in the terms of the residency machine.

/** As reported by the runner, otherwise as estimated. */
export function figuresOf(memory: MemoryUse | undefined, model: ModelState | undefined): Required<MemoryFigures> {
  if (memory) return { bytes: measuredMemory(memory), devices: measuredDevices(memory) };
  return { bytes: model?.bytes ?? 0, devices: model?.devices ?? noDeviceBytes };
}

export function isKnown({ bytes, devices }: Required<MemoryFigures>, model: ModelState | undefined): boolean {
  return bytes === model?.bytes && sumOfDevices(devices) === sumOfDevices(model.devices);
}

// Converts readings of the monotonic clock to times of day. A reading gives the same time of day each time, unless the
// system clock is set.
// Larger than the error of reading both clocks.
const minJumpMs = 1000;

export function createTimeline(clock: Clock) {
  const now = (): number => clock.monotonic() / 1e6;
  const measure = (): number => clock.now() - now();
  let offset = measure();
  return {
    /** Milliseconds of the monotonic clock. */
    now,
    /** Returns milliseconds since the epoch. */
    toEpoch(moment: number): number {
      const measured = measure();
      if (Math.abs(measured - offset) > minJumpMs) offset = measured;
      return Math.round(moment + offset);
    },
  };
}

type Timeline = ReturnType<typeof createTimeline>;
