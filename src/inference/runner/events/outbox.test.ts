import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import type { RunnerEvent } from '../../protocol/messages.ts';
import { collectTime, createOutbox } from './outbox.ts';

function setUp() {
  const clock = createFakeClock();
  const sent: RunnerEvent[] = [];
  return { clock, sent, outbox: createOutbox(clock, (event) => sent.push(event)) };
}

test('the first text is sent at once, the next ones are collected', () => {
  const { clock, sent, outbox } = setUp();
  outbox.text(1, 'a');
  outbox.sendDue();
  expect(sent).toEqual([{ type: 'text', pieces: [{ id: 1, text: 'a' }] }]);
  outbox.text(1, 'b');
  outbox.sendDue();
  outbox.text(2, 'x');
  outbox.text(1, 'c');
  expect(sent).toHaveLength(1);
  clock.advance(collectTime.onCpu - 1);
  outbox.sendDue();
  expect(sent).toHaveLength(1);
  clock.advance(1);
  outbox.sendDue();
  expect(sent[1]).toEqual({
    type: 'text',
    pieces: [
      { id: 1, text: 'bc' },
      { id: 2, text: 'x' },
    ],
  });
});

test('text that is to be sent at once takes the collected text along', () => {
  const { sent, outbox } = setUp();
  outbox.text(1, 'a');
  outbox.sendDue();
  outbox.text(1, 'b');
  outbox.sendDue();
  outbox.text(2, 'x', { atOnce: true });
  outbox.sendDue();
  outbox.text(1, 'c');
  outbox.sendDue();
  expect(sent.slice(1)).toEqual([
    {
      type: 'text',
      pieces: [
        { id: 1, text: 'b' },
        { id: 2, text: 'x' },
      ],
    },
  ]);
});

test('collected text has the number of tokens so far', () => {
  const { sent, outbox } = setUp();
  outbox.text(1, 'a', { generatedTokens: 1 });
  outbox.text(1, 'b', { generatedTokens: 4 });
  outbox.flush();
  expect(sent).toEqual([{ type: 'text', pieces: [{ id: 1, text: 'ab', generatedTokens: 4 }] }]);
});

test('another event is sent after the collected text', () => {
  const { sent, outbox } = setUp();
  outbox.text(1, 'a');
  outbox.send({ type: 'failed', id: 1, code: 'request_failed', message: 'm' });
  expect(sent.map(({ type }) => type)).toEqual(['text', 'failed']);
});

test('an event without text does not delay the next text', () => {
  const { sent, outbox } = setUp();
  outbox.send({ type: 'started', id: 1, promptTokens: 1, cachedTokens: 0, droppedTokens: 0 });
  outbox.text(1, 'a');
  outbox.sendDue();
  expect(sent.map(({ type }) => type)).toEqual(['started', 'text']);
});

test('nothing is sent without text', () => {
  const { clock, sent, outbox } = setUp();
  outbox.text(1, '');
  clock.advance(1000);
  outbox.sendDue();
  outbox.flush();
  expect(sent).toEqual([]);
});
