import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ThinkingInput } from '../../../protocol/messages.ts';
import { Thinking } from './thinking.ts';
import { advanceWatch, startWatch, type Triggered, type TriggerWatch, type Watch } from './trigger-watch.ts';
import { toBytes } from './watched-text.ts';

const tag: TriggerWatch = { triggers: [{ text: '<tool_call>', atStart: false }] };
const bare: TriggerWatch = {
  triggers: [
    { text: '{"name"', atStart: true },
    { text: '<|python_tag|>', atStart: false },
  ],
};
const thinking = (begun: boolean): ThinkingInput => ({ open: '<think>', close: '</think>', begun });

/** The trigger, and the number of pieces read. */
function run(
  settings: TriggerWatch,
  pieces: readonly string[],
  tags?: ThinkingInput,
): { found: Triggered; read: number } | undefined {
  const thoughts = tags && new Thinking(tags);
  let watch = startWatch(settings) as Watch;
  for (const [token, piece] of pieces.entries()) {
    const watched = { token, text: toBytes(piece) };
    let next: Watch | Triggered = watch;
    if (thoughts === undefined || thoughts.phase === 'content') next = advanceWatch(settings, watch, watched);
    else {
      const after = thoughts.after(watched);
      thoughts.accept(after);
      if (after.phase === 'content') next = startWatch(settings, after);
    }
    if (!('phase' in next)) return { found: next, read: token + 1 };
    watch = next;
  }
  return undefined;
}

describe('a trigger', () => {
  test('anywhere in the answer, with the tokens that contain it', () => {
    expect(run(tag, ['Let me', ' see', '. <to', 'ol_', 'call>{', '"'])).toEqual({
      found: { before: '. ', tokens: [2, 3, 4] },
      read: 5,
    });
    expect(run(tag, ['é<tool_call>'])?.found).toEqual({ before: toBytes('é'), tokens: [0] });
    expect(run(tag, ['<tool_', 'calls>', ' <tool'])).toBeUndefined();
  });

  test('at the start only, with any white space', () => {
    expect(run(bare, ['\n', ' {', '\n  "', 'name', '":'])).toEqual({
      found: { before: ' ', tokens: [1, 2, 3, 4] },
      read: 5,
    });
    expect(run(bare, ['Look: {', '"name"', ':'])).toBeUndefined();
    expect(run(bare, ['{"nation', '": {"name"'])).toBeUndefined();
    expect(run(bare, ['Look: <|python_tag|>'])?.found.before).toBe('Look: ');
  });

  test('not inside thinking', () => {
    const pieces = ['<think>', ' <tool_call> ', '</thi', 'nk>\n<tool_call>'];
    expect(run(tag, pieces, thinking(false))).toEqual({ found: { before: 'nk>\n', tokens: [3] }, read: 4 });
    expect(run(tag, pieces.slice(1), thinking(true))?.read).toBe(3);
    expect(run(tag, ['<tool_call>', ' hm'], thinking(true))).toBeUndefined();
    expect(run(tag, ['no <tool', '_call>'], thinking(false))?.read).toBe(2);
  });
});

test('the pieces do not matter', () => {
  const parts = fc.array(fc.constantFrom('<tool_call>', '<tool', '_call>', '<think>', '</think>', 'é', ' ', '{'), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(parts, fc.array(fc.nat(60), { maxLength: 8 }), fc.boolean(), (words, cuts, begun) => {
      const text = words.join('');
      const bounds = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      const pieces = bounds.slice(1).map((end, index) => text.slice(bounds[index], end));
      // Where the trigger starts, in characters.
      const startOf = (all: readonly string[]): number | undefined => {
        const found = run(tag, all, thinking(begun))?.found;
        if (found === undefined) return undefined;
        return Buffer.byteLength(all.slice(0, found.tokens[0]).join('')) + found.before.length;
      };
      expect(startOf(pieces)).toBe(startOf([...text]));
    }),
  );
});
