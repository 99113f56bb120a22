import { expect, test } from 'vitest';
import { checkAdapter } from './engine-limits.ts';

const weights = (name: string) => new Map([['general.architecture', name]]);

test.each(['glm4', 'glm4moe', 'jais2'])('an adapter of %s may change all but two matrices', (name) => {
  const check = (tensor: string) => () => checkAdapter(weights(name), ['blk.0.attn_q.weight.lora_a', tensor]);
  expect(check('blk.0.ffn_up.weight.lora_a')).not.toThrow();
  expect(check('blk.1.ffn_down.weight.lora_b')).toThrow(`to blk.1.ffn_down.weight of the architecture ${name}`);
  expect(check('blk.0.attn_output.weight.lora_a')).toThrow('attn_output');
});

test('adapters that the engine would ignore are refused', () => {
  expect(() => checkAdapter(weights('kimi-k3'), ['blk.0.attn_q.weight.lora_a'])).toThrow('does not apply adapters');
  expect(() => checkAdapter(weights('llama'), ['blk.0.ffn_down.weight.lora_a'])).not.toThrow();
});
