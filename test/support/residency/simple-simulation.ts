// A simulation for tests of single rules: estimates are immediate, and the name of a model determines its size.

import { type DeviceBytes, noDeviceBytes } from '../../../src/inference/engine/planning/device-bytes.ts';
import type { SleepFigures } from '../../../src/inference/engine/process/model-process.ts';
import type { ResidencyLimits } from '../../../src/inference/engine/residency/residency-state.ts';
import {
  createSimulation,
  type SimulatedCaller,
  type SimulatedModel,
  type Simulation,
} from './residency-simulation.ts';

export const residencyLimits: ResidencyLimits = {
  maxLoaded: 3,
  memoryBudget: 10,
  maxQueue: 6,
  reservedPlaces: 3,
  defaultKeepAliveMs: 50,
  patience: 100,
  reloadHoldMs: 10,
};

export const sizes: Readonly<Record<string, number>> = { a: 2, b: 3, c: 4, d: 7, e: 10, tooLarge: 10.5 * 2 ** 30 };
export const estimateOf = (key: string): number => sizes[key] ?? (Number(key) || 1);

export interface SimpleSimulation {
  readonly simulation: Simulation;
  ask(key: string, fingerprint?: string, keepAlive?: number): SimulatedCaller;
  askAs(client: string, key: string, fingerprint?: string): SimulatedCaller;
  /** Requests a model, loads it and holds it; 1 ms passes. */
  use(key: string, keepAlive?: number): SimulatedCaller;
  /** Like `use`, and releases it. */
  load(key: string, keepAlive?: number): void;
  model(key: string): SimulatedModel;
  /** Keys of the models that are not stopping. */
  present(): string[];
}

export function createSimpleSimulation(
  changes: Partial<ResidencyLimits> = {},
  takes = estimateOf,
  devicesOf: (key: string) => DeviceBytes = () => noDeviceBytes,
  sleepingOf: (key: string) => SleepFigures | undefined = () => undefined,
): SimpleSimulation {
  const limits = { ...residencyLimits, ...changes };
  const simulation = createSimulation({ limits, estimateOf, takes, devicesOf, sleepingOf });
  const estimated = (caller: SimulatedCaller): SimulatedCaller => {
    if (caller.outcome === 'waiting') simulation.estimate(caller);
    return caller;
  };
  const ask: SimpleSimulation['ask'] = (key, fingerprint = '', keepAlive) =>
    estimated(simulation.request(key, fingerprint, keepAlive));
  const askAs: SimpleSimulation['askAs'] = (client, key, fingerprint = '') =>
    estimated(simulation.request(key, fingerprint, undefined, client));
  const model: SimpleSimulation['model'] = (key) =>
    simulation.models.find((candidate) => candidate.key === key) as SimulatedModel;
  const use: SimpleSimulation['use'] = (key, keepAlive) => {
    const caller = ask(key, '', keepAlive);
    if (caller.outcome === 'waiting') simulation.finishLoad(model(key));
    simulation.pass(1);
    return caller;
  };
  const present = (): string[] => {
    const staying = simulation.models.filter(({ stopping }) => !stopping);
    return staying.map(({ key }) => key).sort();
  };
  const load: SimpleSimulation['load'] = (key, keepAlive) => simulation.release(use(key, keepAlive));
  return { simulation, ask, askAs, use, load, model, present };
}
