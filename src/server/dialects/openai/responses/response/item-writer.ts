// Writes the events of output items. Items do not overlap: one is closed before the next is opened.

import type { KnownTool } from '../request/tool-table.ts';
import type { UnnumberedEvent } from './events-schema.ts';
import type { ItemStatus, OutputItem, OutputLogprob } from './response-schema.ts';

interface ItemWriterOptions {
  /** Thinking is sent as the summary of its item, otherwise as its content. */
  readonly summarize: boolean;
  readonly newId: (prefix: string) => string;
}

export interface Call {
  readonly callId: string;
  readonly tool: KnownTool;
  /** JSON, or the text for a custom tool. */
  readonly input: string;
}

export interface ItemWriter {
  /** The finished items. */
  readonly items: readonly OutputItem[];
  /** Whether no item was opened. */
  isEmpty(): boolean;
  /** Continues the current item if it is a message. */
  text(text: string, logprobs: readonly OutputLogprob[]): Generator<UnnumberedEvent>;
  thinking(text: string): Generator<UnnumberedEvent>;
  /** A complete item. */
  call(call: Call): Generator<UnnumberedEvent>;
  close(status: ItemStatus): Generator<UnnumberedEvent>;
}

interface OpenItem {
  readonly kind: 'message' | 'reasoning';
  readonly id: string;
  /** Joined at once: texts have many deltas. */
  readonly deltas: string[];
  readonly logprobs: OutputLogprob[];
}

export function createItemWriter({ summarize, newId }: ItemWriterOptions): ItemWriter {
  const items: OutputItem[] = [];
  let current: OpenItem | undefined;

  const placeOf = (item_id: string) => ({ item_id, output_index: items.length });
  const contentPlaceOf = (id: string) => ({ ...placeOf(id), content_index: 0 });
  const summaryPlaceOf = (id: string) => ({ ...placeOf(id), summary_index: 0 });

  function added(item: OutputItem): UnnumberedEvent {
    return { type: 'response.output_item.added', output_index: items.length, item };
  }

  function done(item: OutputItem): UnnumberedEvent {
    const event: UnnumberedEvent = { type: 'response.output_item.done', output_index: items.length, item };
    items.push(item);
    return event;
  }

  function* open(kind: OpenItem['kind']): Generator<UnnumberedEvent, OpenItem> {
    if (current?.kind === kind) return current;
    yield* close('completed');
    const id = newId(kind === 'message' ? 'msg' : 'rs');
    current = { kind, id, deltas: [], logprobs: [] };
    if (kind === 'message') {
      yield added({ id, type: 'message', status: 'in_progress', role: 'assistant', content: [] });
      yield { type: 'response.content_part.added', ...contentPlaceOf(id), part: textPart('', []) };
    } else if (summarize) {
      yield added({ id, type: 'reasoning', status: 'in_progress', summary: [], encrypted_content: null });
      yield { type: 'response.reasoning_summary_part.added', ...summaryPlaceOf(id), part: summaryPart('') };
    } else {
      yield added({ id, type: 'reasoning', status: 'in_progress', summary: [], content: [], encrypted_content: null });
      yield { type: 'response.content_part.added', ...contentPlaceOf(id), part: reasoningPart('') };
    }
    return current;
  }

  function* close(status: ItemStatus): Generator<UnnumberedEvent> {
    if (current === undefined) return;
    const { kind, id, deltas, logprobs } = current;
    const text = deltas.join('');
    if (kind === 'message') {
      const part = textPart(text, logprobs);
      yield { type: 'response.output_text.done', ...contentPlaceOf(id), text, logprobs };
      yield { type: 'response.content_part.done', ...contentPlaceOf(id), part };
      yield done({ id, type: 'message', status, role: 'assistant', content: [part] });
    } else if (summarize) {
      const part = summaryPart(text);
      yield { type: 'response.reasoning_summary_text.done', ...summaryPlaceOf(id), text };
      yield { type: 'response.reasoning_summary_part.done', ...summaryPlaceOf(id), part };
      yield done({ id, type: 'reasoning', status, summary: [part], encrypted_content: null });
    } else {
      const part = reasoningPart(text);
      yield { type: 'response.reasoning_text.done', ...contentPlaceOf(id), text };
      yield { type: 'response.content_part.done', ...contentPlaceOf(id), part };
      yield done({ id, type: 'reasoning', status, summary: [], content: [part], encrypted_content: null });
    }
    current = undefined;
  }

  return {
    items,
    isEmpty: () => items.length === 0 && current === undefined,
    close,
    *text(text, logprobs) {
      const { id, deltas, logprobs: all } = yield* open('message');
      if (text === '') return;
      deltas.push(text);
      all.push(...logprobs);
      yield { type: 'response.output_text.delta', ...contentPlaceOf(id), delta: text, logprobs };
    },
    *thinking(text) {
      const { id, deltas } = yield* open('reasoning');
      deltas.push(text);
      if (summarize) yield { type: 'response.reasoning_summary_text.delta', ...summaryPlaceOf(id), delta: text };
      else yield { type: 'response.reasoning_text.delta', ...contentPlaceOf(id), delta: text };
    },
    *call({ callId, tool: { type, ...named }, input }) {
      yield* close('completed');
      const head = { call_id: callId, ...named };
      if (type === 'custom') {
        const item = { id: newId('ctc'), type: 'custom_tool_call', ...head } as const;
        yield added({ ...item, status: 'in_progress', input: '' });
        yield { type: 'response.custom_tool_call_input.delta', ...placeOf(item.id), delta: input };
        yield { type: 'response.custom_tool_call_input.done', ...placeOf(item.id), input };
        yield done({ ...item, status: 'completed', input });
        return;
      }
      const item = { id: newId('fc'), type: 'function_call', ...head } as const;
      const place = placeOf(item.id);
      yield added({ ...item, status: 'in_progress', arguments: '' });
      yield { type: 'response.function_call_arguments.delta', ...place, delta: input };
      yield { type: 'response.function_call_arguments.done', ...place, name: named.name, arguments: input };
      yield done({ ...item, status: 'completed', arguments: input });
    },
  };
}

function textPart(text: string, logprobs: readonly OutputLogprob[]) {
  return { type: 'output_text', text, annotations: [], logprobs } as const;
}

function reasoningPart(text: string) {
  return { type: 'reasoning_text', text } as const;
}

function summaryPart(text: string) {
  return { type: 'summary_text', text } as const;
}
