import { expect, test } from 'vitest';
import { HearthError } from '../../../base/errors.ts';
import type { AcquireRequest, LoadedModel } from '../../../inference/engine/ports.ts';
import { contextOfLoaded, contextOfNext } from './shown-context.ts';

const cacheTypes = { keys: 'f16', values: 'f16' } as const;
const plan = { length: 8192, lengths: [8192, 4096], source: 'model', parallel: 4, cacheTypes, bytes: 1 } as const;
const loaded = (contextLength: number, trainedContext: number) =>
  contextOfLoaded({ plan, info: { contextLength, trainedContext, parallel: 4 } as LoadedModel['info'] });

test('a loaded model has the context of its plan, or the shorter one that it got', () => {
  expect(loaded(8192, 131_072)).toMatchObject({ length: 8192, source: 'model' });
  expect(loaded(4096, 131_072)).toMatchObject({ length: 4096, source: 'memory' });
  expect(loaded(2048, 2048)).toMatchObject({ length: 2048, source: 'trained' });
});

test('options that contradict the settings do not break the description of a model', () => {
  const failing = (code: 'bad_request' | 'internal') => {
    const planContext = () => {
      throw new HearthError(code, 'x');
    };
    return contextOfNext({ planContext }, {} as AcquireRequest);
  };
  expect(failing('bad_request')).toBeUndefined();
  expect(() => failing('internal')).toThrow('x');
});
