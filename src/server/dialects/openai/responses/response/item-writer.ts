// Writes the events of output items. Items do not overlap: one is closed before the next is opened.

import type { CitedPassage } from '../../../../services/documents/passage-search.ts';
import { searchServer } from '../../../../services/tools/collection-search.ts';
import { type Citation, findCitations } from '../../../../services/tools/find-citations.ts';
import type { ToolsListed } from '../../../../services/tools/offered-tools.ts';
import type { ServerCall, ServerTool, ToolResult } from '../../../../services/tools/tool-server.ts';
import type { OutputLogprob } from '../../generation-schema.ts';
import type { KnownTool } from '../request/tool-table.ts';
import type { UnnumberedEvent } from './events-schema.ts';
import type { FileCitation, ItemStatus, MessagePhase, OutputItem } from './response-schema.ts';

interface ItemWriterOptions {
  /** Thinking is sent as the summary of its item, otherwise as its content. */
  readonly summarize: boolean;
  /** Whether searches show the passages that they have found. */
  readonly showsResults: boolean;
  readonly newId: (prefix: string) => string;
}

export interface Call {
  readonly callId: string;
  readonly tool: KnownTool;
  /** JSON, or the text for a custom tool. */
  readonly input: string;
}

interface OpenItem {
  readonly kind: 'message' | 'reasoning';
  readonly id: string;
  /** Joined at once: texts have many deltas. */
  readonly deltas: string[];
  readonly logprobs: OutputLogprob[];
}

type Pass = (event: UnnumberedEvent) => void;
type ToolList = Pick<ToolsListed, 'server' | 'tools' | 'error'>;
type McpCallItem = Extract<OutputItem, { type: 'mcp_call' }>;
type SearchItem = Extract<OutputItem, { type: 'file_search_call' }>;

export class ItemWriter {
  /** The finished items. */
  readonly items: OutputItem[] = [];
  readonly #summarize: boolean;
  readonly #newId: ItemWriterOptions['newId'];
  readonly #showsResults: boolean;
  /** The passages that the answer can cite, by their numbers. */
  readonly #passages = new Map<number, CitedPassage>();
  #current: OpenItem | undefined;
  /** The call that runs. */
  #call: McpCallItem | SearchItem | undefined;

  constructor({ summarize, showsResults, newId }: ItemWriterOptions) {
    this.#summarize = summarize;
    this.#showsResults = showsResults;
    this.#newId = newId;
  }

  /** Whether no item was opened. */
  get isEmpty(): boolean {
    return this.items.length === 0 && this.#current === undefined;
  }

  /** Continues the current item if it is a message. */
  text(delta: string, logprobs: readonly OutputLogprob[], pass: Pass): void {
    const { id, deltas, logprobs: all } = this.#open('message', pass);
    if (delta === '') return;
    deltas.push(delta);
    all.push(...logprobs);
    pass({ type: 'response.output_text.delta', ...this.#contentPlaceOf(id), delta, logprobs });
  }

  thinking(delta: string, pass: Pass): void {
    const { id, deltas } = this.#open('reasoning', pass);
    deltas.push(delta);
    if (this.#summarize) pass({ type: 'response.reasoning_summary_text.delta', ...this.#summaryPlaceOf(id), delta });
    else pass({ type: 'response.reasoning_text.delta', ...this.#contentPlaceOf(id), delta });
  }

  /** A complete item. */
  call({ callId, tool: { type, ...named }, input }: Call, pass: Pass): void {
    this.close('completed', 'commentary', pass);
    const head = { call_id: callId, ...named };
    if (type === 'custom') {
      const item = { id: this.#newId('ctc'), type: 'custom_tool_call', ...head } as const;
      const place = this.#placeOf(item.id);
      this.#add({ ...item, status: 'in_progress', input: '' }, pass);
      pass({ type: 'response.custom_tool_call_input.delta', ...place, delta: input });
      pass({ type: 'response.custom_tool_call_input.done', ...place, input });
      this.#finish({ ...item, status: 'completed', input }, pass);
      return;
    }
    const item = { id: this.#newId('fc'), type: 'function_call', ...head } as const;
    const place = this.#placeOf(item.id);
    this.#add({ ...item, status: 'in_progress', arguments: '' }, pass);
    pass({ type: 'response.function_call_arguments.delta', ...place, delta: input });
    pass({ type: 'response.function_call_arguments.done', ...place, name: named.name, arguments: input });
    this.#finish({ ...item, status: 'completed', arguments: input }, pass);
  }

  /** The tools of an MCP server. */
  toolList({ server, tools, error: problem }: ToolList, pass: Pass): void {
    const error = problem ?? null;
    this.close('completed', 'commentary', pass);
    const item = { id: this.#newId('mcpl'), type: 'mcp_list_tools', server_label: server, error } as const;
    const place = this.#placeOf(item.id);
    this.#add({ ...item, tools: [] }, pass);
    pass({ type: 'response.mcp_list_tools.in_progress', ...place });
    pass({ type: error === null ? 'response.mcp_list_tools.completed' : 'response.mcp_list_tools.failed', ...place });
    this.#finish({ ...item, tools: tools.map(toListedTool) }, pass);
  }

  /** A call that begins. Its result finishes the item, and nothing comes in between. */
  serverCall(call: ServerCall, pass: Pass): void {
    this.close('completed', 'commentary', pass);
    if (call.server === searchServer) {
      const search = toSearchItem(this.#newId('fs'), call);
      this.#add(search, pass);
      pass({ type: 'response.file_search_call.in_progress', ...this.#placeOf(search.id) });
      pass({ type: 'response.file_search_call.searching', ...this.#placeOf(search.id) });
      this.#call = search;
      return;
    }
    const item = toMcpCall(this.#newId('mcp'), call);
    const place = this.#placeOf(item.id);
    this.#add({ ...item, arguments: '' }, pass);
    pass({ type: 'response.mcp_call.in_progress', ...place });
    pass({ type: 'response.mcp_call_arguments.delta', ...place, delta: item.arguments });
    pass({ type: 'response.mcp_call_arguments.done', ...place, arguments: item.arguments });
    this.#call = item;
  }

  serverResult({ text, isError, passages = [] }: ToolResult, pass: Pass): void {
    const item = this.#call;
    if (item === undefined) return;
    this.#call = undefined;
    const place = this.#placeOf(item.id);
    if (item.type === 'file_search_call') {
      for (const passage of passages) this.#passages.set(passage.number, passage);
      if (!isError) pass({ type: 'response.file_search_call.completed', ...place });
      const results = this.#showsResults ? passages.map(toSearchResult) : null;
      this.#finish({ ...item, status: isError ? 'failed' : 'completed', results }, pass);
      return;
    }
    pass({ type: isError ? 'response.mcp_call.failed' : 'response.mcp_call.completed', ...place });
    const outcome = isError ? { error: text, status: 'failed' } : { output: text, status: 'completed' };
    this.#finish({ ...item, ...(outcome as Pick<McpCallItem, 'status'>) }, pass);
  }

  approval({ server, tool, values }: ServerCall, pass: Pass): void {
    this.close('completed', 'commentary', pass);
    const named = { server_label: server, name: tool, arguments: JSON.stringify(values) };
    const item = { id: this.#newId('mcpr'), type: 'mcp_approval_request', ...named } as const;
    this.#add(item, pass);
    this.#finish(item, pass);
  }

  close(status: ItemStatus, phase: MessagePhase, pass: Pass): void {
    if (this.#current === undefined) return;
    const { kind, id, deltas, logprobs } = this.#current;
    const text = deltas.join('');
    if (kind === 'message') {
      const annotations = findCitations(text, this.#passages).map(toFileCitation);
      for (const [annotation_index, annotation] of annotations.entries())
        pass({
          type: 'response.output_text.annotation.added',
          ...this.#contentPlaceOf(id),
          annotation_index,
          annotation,
        });
      const part = textPart(text, logprobs, annotations);
      pass({ type: 'response.output_text.done', ...this.#contentPlaceOf(id), text, logprobs });
      pass({ type: 'response.content_part.done', ...this.#contentPlaceOf(id), part });
      this.#finish({ id, type: 'message', status, role: 'assistant', content: [part], phase }, pass);
    } else if (this.#summarize) {
      const part = summaryPart(text);
      pass({ type: 'response.reasoning_summary_text.done', ...this.#summaryPlaceOf(id), text });
      pass({ type: 'response.reasoning_summary_part.done', ...this.#summaryPlaceOf(id), part });
      this.#finish({ id, type: 'reasoning', status, summary: [part] }, pass);
    } else {
      const part = reasoningPart(text);
      pass({ type: 'response.reasoning_text.done', ...this.#contentPlaceOf(id), text });
      pass({ type: 'response.content_part.done', ...this.#contentPlaceOf(id), part });
      this.#finish({ id, type: 'reasoning', status, summary: [], content: [part] }, pass);
    }
    this.#current = undefined;
  }

  #open(kind: OpenItem['kind'], pass: Pass): OpenItem {
    if (this.#current?.kind === kind) return this.#current;
    this.close('completed', 'commentary', pass);
    const id = this.#newId(kind === 'message' ? 'msg' : 'rs');
    const opened: OpenItem = { kind, id, deltas: [], logprobs: [] };
    this.#current = opened;
    if (kind === 'message') {
      this.#add({ id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }, pass);
      pass({ type: 'response.content_part.added', ...this.#contentPlaceOf(id), part: textPart('', []) });
      return opened;
    }
    const item = { id, type: 'reasoning', status: 'in_progress', summary: [] } as const;
    if (this.#summarize) {
      this.#add({ ...item }, pass);
      pass({ type: 'response.reasoning_summary_part.added', ...this.#summaryPlaceOf(id), part: summaryPart('') });
    } else {
      this.#add({ ...item, content: [] }, pass);
      pass({ type: 'response.content_part.added', ...this.#contentPlaceOf(id), part: reasoningPart('') });
    }
    return opened;
  }

  #add(item: OutputItem, pass: Pass): void {
    pass({ type: 'response.output_item.added', output_index: this.items.length, item });
  }

  #finish(item: OutputItem, pass: Pass): void {
    pass({ type: 'response.output_item.done', output_index: this.items.length, item });
    this.items.push(item);
  }

  #placeOf(item_id: string) {
    return { item_id, output_index: this.items.length };
  }

  #contentPlaceOf(id: string) {
    return { ...this.#placeOf(id), content_index: 0 };
  }

  #summaryPlaceOf(id: string) {
    return { ...this.#placeOf(id), summary_index: 0 };
  }
}

function toMcpCall(id: string, { server, tool, values, approval }: ServerCall): McpCallItem {
  const named = { server_label: server, name: tool, arguments: JSON.stringify(values) };
  const outcome = { status: 'in_progress', output: null, error: null } as const;
  return { id, type: 'mcp_call', ...named, ...outcome, approval_request_id: approval ?? null };
}

function toListedTool({ name, description, parameters, isReadOnly }: ServerTool) {
  const annotations = isReadOnly === undefined ? null : { read_only: isReadOnly };
  return { name, description, input_schema: parameters, annotations };
}

function toSearchItem(id: string, { values }: ServerCall): SearchItem {
  const { query } = values;
  const queries = typeof query === 'string' ? [query] : [];
  return { id, type: 'file_search_call', status: 'in_progress', queries, results: null };
}

function toSearchResult({ fileId, fileName, score, attributes, text }: CitedPassage) {
  return { file_id: fileId, filename: fileName, score, attributes: attributes ?? {}, text };
}

function toFileCitation({ passage, index }: Citation): FileCitation {
  return { type: 'file_citation', index, file_id: passage.fileId, filename: passage.fileName };
}

function textPart(text: string, logprobs: readonly OutputLogprob[], annotations: readonly FileCitation[] = []) {
  return { type: 'output_text', text, annotations, logprobs } as const;
}

function reasoningPart(text: string) {
  return { type: 'reasoning_text', text } as const;
}

function summaryPart(text: string) {
  return { type: 'summary_text', text } as const;
}
