// The renderers by the names in model configs.

import { systemClock } from '../../../base/time/clock.ts';
import { cogitoRenderer } from './cogito.ts';
import { cohereRenderer } from './cohere.ts';
import { deepseek3Renderer } from './deepseek3.ts';
import { functionGemmaRenderer } from './functiongemma.ts';
import { gemma4LargeRenderer, gemma4Renderer } from './gemma4.ts';
import { createGlimmerRenderer } from './glimmer.ts';
import { glm47Renderer, glmOcrRenderer } from './glm.ts';
import { lagunaRenderer, poolsideRenderer } from './laguna.ts';
import { lfm2Renderer, lfm2ThinkingRenderer } from './lfm2.ts';
import { nemotron3Renderer, nemotron35Renderer } from './nemotron.ts';
import { olmo3Renderer, olmo3ThinkRenderer, olmo31Renderer, olmo332bThinkRenderer } from './olmo3.ts';
import { ornithRenderer, qwen35Renderer, qwen38Renderer } from './qwen3-5.ts';
import { qwen3CoderRenderer } from './qwen3-coder.ts';
import { qwen3VlInstructRenderer, qwen3VlThinkingRenderer } from './qwen3-vl.ts';
import type { Renderer } from './renderer.ts';

const renderers: ReadonlyMap<string, Renderer> = new Map(
  Object.entries({
    cogito: cogitoRenderer,
    cohere: cohereRenderer,
    'deepseek3.1': deepseek3Renderer,
    functiongemma: functionGemmaRenderer,
    'gemma4-large': gemma4LargeRenderer,
    'gemma4-small': gemma4Renderer,
    gemma4: gemma4Renderer,
    glimmer: createGlimmerRenderer(systemClock),
    'glm-4.7': glm47Renderer,
    'glm-ocr': glmOcrRenderer,
    laguna: lagunaRenderer,
    'lfm2-thinking': lfm2ThinkingRenderer,
    lfm2: lfm2Renderer,
    'nemotron-3-nano': nemotron3Renderer,
    'nemotron-3.5-nano': nemotron35Renderer,
    'olmo3-32b-think': olmo332bThinkRenderer,
    'olmo3-think': olmo3ThinkRenderer,
    'olmo3.1': olmo31Renderer,
    olmo3: olmo3Renderer,
    'poolside-v1': poolsideRenderer,
    'qwen3-coder': qwen3CoderRenderer,
    'qwen3-vl-instruct': qwen3VlInstructRenderer,
    'qwen3-vl-thinking': qwen3VlThinkingRenderer,
    'qwen3.5': qwen35Renderer,
    'qwen3.8': qwen38Renderer,
    ornith: ornithRenderer,
  }),
);

export function findRenderer(name: string): Renderer | undefined {
  return renderers.get(name);
}
