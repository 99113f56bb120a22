// The renderers by the names in model configs.

import { qwen3CoderRenderer } from './qwen3-coder.ts';
import { qwen3VlInstructRenderer, qwen3VlThinkingRenderer } from './qwen3-vl.ts';
import type { Renderer } from './renderer.ts';

const renderers: ReadonlyMap<string, Renderer> = new Map(
  Object.entries({
    'qwen3-coder': qwen3CoderRenderer,
    'qwen3-vl-instruct': qwen3VlInstructRenderer,
    'qwen3-vl-thinking': qwen3VlThinkingRenderer,
  }),
);

export function findRenderer(name: string): Renderer | undefined {
  return renderers.get(name);
}
