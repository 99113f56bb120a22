// A world for single rules: estimates come at once, and a model's size is what its name says.

import type { ResidencyLimits } from '../../../src/inference/engine/residency/residency-state.ts';
import { createWorld, type World, type WorldCaller, type WorldModel } from './residency-world.ts';

export const limits: ResidencyLimits = {
  maxLoaded: 3,
  memoryBudget: 10,
  maxQueue: 6,
  defaultKeepAlive: 50,
  patience: 100,
};

export const sizes: Readonly<Record<string, number>> = { a: 2, b: 3, c: 4, d: 7, e: 10, tooLarge: 10.5 * 2 ** 30 };
export const estimateOf = (key: string): number => sizes[key] ?? (Number(key) || 1);

export interface SimpleWorld {
  readonly world: World;
  ask(key: string, fingerprint?: string, keepAlive?: number): WorldCaller;
  /** Asks, loads, and holds it; a millisecond passes. */
  use(key: string, keepAlive?: number): WorldCaller;
  /** The same, and gives it back. */
  load(key: string, keepAlive?: number): void;
  model(key: string): WorldModel;
  /** Keys of what is there and stays. */
  present(): string[];
}

export function createSimpleWorld(changes: Partial<ResidencyLimits> = {}, takes = estimateOf): SimpleWorld {
  const world = createWorld({ limits: { ...limits, ...changes }, estimateOf, takes });
  const ask: SimpleWorld['ask'] = (key, fingerprint = '', keepAlive) => {
    const caller = world.request(key, fingerprint, keepAlive);
    if (caller.outcome === 'waiting') world.estimate(caller);
    return caller;
  };
  const model: SimpleWorld['model'] = (key) => world.models.find((candidate) => candidate.key === key) as WorldModel;
  const use: SimpleWorld['use'] = (key, keepAlive) => {
    const caller = ask(key, '', keepAlive);
    if (caller.outcome === 'waiting') world.finishLoad(model(key));
    world.pass(1);
    return caller;
  };
  const present = (): string[] => {
    const staying = world.models.filter(({ stopping }) => !stopping);
    return staying.map(({ key }) => key).sort();
  };
  return { world, ask, use, load: (key, keepAlive) => world.release(use(key, keepAlive)), model, present };
}
