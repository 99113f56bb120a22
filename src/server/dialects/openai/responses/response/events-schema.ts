// The events of a streamed response. Each has its number in the stream.

import { type TProperties, Type } from 'typebox';
import type { Wire } from '../../../shared/wire-schema.ts';
import { OutputLogprob } from '../../generation-schema.ts';
import {
  FileCitation,
  OutputItem,
  OutputTextPart,
  ReasoningTextPart,
  ResponseBody,
  SummaryTextPart,
} from './response-schema.ts';

/** Events with the same fields are one schema: the API documents would repeat the whole response for each. */
const event = <const Name extends string, Fields extends TProperties>(types: readonly Name[], fields: Fields) =>
  Type.Object({ type: Type.Unsafe<Name>(Type.Enum([...types])), sequence_number: Type.Integer(), ...fields });

const lifecycle = { response: ResponseBody };
const item = { output_index: Type.Integer(), item: OutputItem };
const inItem = { item_id: Type.String(), output_index: Type.Integer() };
const inContent = { ...inItem, content_index: Type.Integer() };
const inSummary = { ...inItem, summary_index: Type.Integer() };
const contentPart = { ...inContent, part: Type.Union([OutputTextPart, ReasoningTextPart]) };
const summaryPart = { ...inSummary, part: SummaryTextPart };
const delta = { delta: Type.String() };
const text = { text: Type.String() };
const logprobs = { logprobs: Type.Array(OutputLogprob) };

export const ResponseEvent = Type.Union([
  event(
    [
      'response.created',
      'response.queued',
      'response.in_progress',
      'response.completed',
      'response.incomplete',
      'response.failed',
    ],
    lifecycle,
  ),
  event(['keepalive'], {}),
  event(['response.output_item.added', 'response.output_item.done'], item),
  event(['response.content_part.added', 'response.content_part.done'], contentPart),
  event(['response.output_text.delta'], { ...inContent, ...delta, ...logprobs }),
  event(['response.output_text.done'], { ...inContent, ...text, ...logprobs }),
  event(['response.output_text.annotation.added'], {
    ...inContent,
    annotation_index: Type.Integer(),
    annotation: FileCitation,
  }),
  event(['response.reasoning_text.delta'], { ...inContent, ...delta }),
  event(['response.reasoning_text.done'], { ...inContent, ...text }),
  event(['response.reasoning_summary_part.added', 'response.reasoning_summary_part.done'], summaryPart),
  event(['response.reasoning_summary_text.delta'], { ...inSummary, ...delta }),
  event(['response.reasoning_summary_text.done'], { ...inSummary, ...text }),
  event(['response.function_call_arguments.delta', 'response.custom_tool_call_input.delta'], { ...inItem, ...delta }),
  event(['response.function_call_arguments.done'], { ...inItem, name: Type.String(), arguments: Type.String() }),
  event(['response.mcp_call_arguments.delta'], { ...inItem, ...delta }),
  event(['response.mcp_call_arguments.done'], { ...inItem, arguments: Type.String() }),
  event(
    [
      'response.file_search_call.in_progress',
      'response.file_search_call.searching',
      'response.file_search_call.completed',
      'response.mcp_call.in_progress',
      'response.mcp_call.completed',
      'response.mcp_call.failed',
      'response.mcp_list_tools.in_progress',
      'response.mcp_list_tools.completed',
      'response.mcp_list_tools.failed',
    ],
    inItem,
  ),
  event(['response.custom_tool_call_input.done'], { ...inItem, input: Type.String() }),
]);
export type ResponseEvent = Wire<typeof ResponseEvent>;

type WithoutNumber<Event> = Event extends unknown ? Omit<Event, 'sequence_number'> : never;
/** An event before it has a number. */
export type UnnumberedEvent = WithoutNumber<ResponseEvent>;
