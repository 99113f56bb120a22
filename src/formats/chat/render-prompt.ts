// Renders messages through a model's Go template.

import type { Effort } from '../../base/effort.ts';
import { HearthError } from '../../base/errors.ts';
import { type ThinkOption, thinkLevelOf } from '../../models/think.ts';
import { toGoJson } from '../go-template/functions/json-text.ts';
import type { Template } from '../go-template/template.ts';
import { compareText, type MapValue, type Value, withText } from '../go-template/values/values.ts';
import { collate, type Message, type MessageToolCall, type Tool } from './message.ts';
import {
  type ParametersSchema,
  type PropertySchema,
  parametersJson,
  propertiesJson,
  propertyJson,
  readParameters,
  type ToolProperties,
} from './tool-schema.ts';

/** The texts before and after the gap to fill. */
export interface Insertion {
  readonly prompt: string;
  readonly suffix: string;
}

export function renderInsertion(template: Template, { prompt, suffix }: Insertion, effort?: Effort): string {
  return template.render({ Prompt: prompt, Suffix: suffix, Response: '' }, withEffort(effort));
}

export interface PromptConversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Absent if the model cannot think. */
  readonly think?: ThinkOption;
  /** Further variables of a Jinja template. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

export function renderMessages(template: Template, conversation: PromptConversation, effort?: Effort): string {
  const messages = collate(conversation.messages);
  return template.mentions.has('messages')
    ? renderAll(template, { ...conversation, messages }, effort)
    : renderTurns(template, messages, effort);
}

function renderAll(
  template: Template,
  { messages, tools, think }: PromptConversation,
  effort: Effort | undefined,
): string {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const data = {
    System: system.join('\n\n'),
    Messages: messages.map(toMessageData),
    Tools: toToolsData(tools),
    Response: '',
    Think: think !== undefined && think !== false,
    ThinkLevel: think === undefined ? '' : thinkLevelOf(think),
    IsThinkSet: think !== undefined,
  };
  return template.render(data, withEffort(effort));
}

function withEffort(effort: Effort | undefined): { readonly effort?: Effort } {
  return effort === undefined ? {} : { effort };
}

interface Turn {
  System: string;
  Prompt: string;
  Response: string;
}

const emptyTurn = (): Turn => ({ System: '', Prompt: '', Response: '' });

// Older templates describe one turn and are rendered once per turn. The last turn is cut after the response, where the
// model continues.
function renderTurns(template: Template, messages: readonly Message[], effort: Effort | undefined): string {
  let text = '';
  let turn = emptyTurn();
  const finishTurn = (): void => {
    text += template.render({ ...turn }, withEffort(effort));
    turn = emptyTurn();
  };
  for (const { role, content } of messages) {
    if (role === 'system') {
      if (turn.Prompt !== '' || turn.Response !== '') finishTurn();
      turn.System = content;
    } else if (role === 'user') {
      if (turn.Response !== '') finishTurn();
      turn.Prompt = content;
    } else if (role === 'assistant') {
      turn.Response = content;
    }
  }
  return text + template.cutAfter('Response').render({ ...turn }, withEffort(effort));
}

// The data of Go templates: the fields that published templates use.
function toMessageData(message: Message): MapValue {
  const { role, content, images = [], toolCalls = [], thinking = '', toolName = '', toolCallId = '' } = message;
  return {
    Role: role,
    Content: content,
    Thinking: thinking,
    Images: images.map((_, index) => BigInt(index)),
    ToolCalls: toolCalls.map(toCallData),
    ToolName: toolName,
    ToolCallID: toolCallId,
  };
}

/** Arguments print as JSON with sorted keys, as in Ollama. */
export function toCallData(call: MessageToolCall, index: number): MapValue {
  const values = call.arguments as MapValue;
  const wire = { name: call.name, arguments: values };
  const id = call.id ?? '';
  return printedAs(
    {
      ID: id,
      Function: printedAs(
        { Index: BigInt(index), Name: call.name, Arguments: withText(values, { text: toGoJson }) },
        wire,
      ),
    },
    { ...(id === '' ? {} : { id }), function: wire },
  );
}

/** Fields for templates that access them, and a JSON text for those that print the entire value. */
function printedAs(fields: MapValue, wire: MapValue): MapValue {
  const text = (): string => toGoJson(wire);
  return withText(fields, { text, json: text });
}

// Tools as data of Go templates. They print as in Ollama: not as the caller wrote them, but as Go writes the structs that
// they were parsed into, with the properties of a tool sorted by name.
function toToolsData(tools: readonly Tool[]): readonly MapValue[] {
  return withText(tools.map(toToolData), { text: toGoJson });
}

function toToolData({ type = 'function', name, description, parameters }: Tool): MapValue {
  const schema = readParameters({ parameters });
  const properties = schema.properties?.toSorted(([a], [b]) => compareText(a, b));
  const data = toParameterData({ ...schema, properties });
  const called = withJson(
    { Name: name, Description: description, Parameters: data },
    // Templates show the description of a tool also if it is empty.
    () => `{"name":${toGoJson(name)},"description":${toGoJson(description)},"parameters":${toGoJson(data)}}`,
  );
  return withJson({ Type: type, Function: called }, () => `{"type":${toGoJson(type)},"function":${toGoJson(called)}}`);
}

/** Prints as an empty map, but is null in JSON. */
const noProperties = withText({}, { text: () => '{}', json: () => 'null' });

function toParameterData(schema: ParametersSchema): MapValue {
  const { type, required, properties, items, defs } = schema;
  const members = properties === undefined ? noProperties : toPropertiesData(properties);
  return withJson({ Type: type, Required: required, Properties: members, Items: items, Defs: defs }, () =>
    parametersJson(schema),
  );
}

// The JSON is not written from the map: names that look like numbers come first in an object.
function toPropertiesData(properties: ToolProperties): MapValue {
  const entries = properties.map(([name, schema]) => [name, toPropertyData(schema)] as const);
  return withJson(Object.fromEntries(entries), () => propertiesJson(properties));
}

function toPropertyData(schema: PropertySchema): MapValue {
  const { properties } = schema;
  return withJson(
    {
      AnyOf: schema.anyOf.map(toPropertyData),
      Type: toTypeData(schema.types),
      Items: schema.items,
      Description: schema.description,
      Enum: schema.enum,
      Properties: properties && toPropertiesData(properties),
      Required: schema.required,
    },
    () => propertyJson(schema),
  );
}

/** One type is a text. Several are a list that prints as in Go: `[string null]`. */
function toTypeData(types: readonly string[]): Value {
  if (types.length === 0) return withText(types, { text: () => '', json: () => 'null' });
  return types.length === 1 ? types[0] : withText(types, { text: () => `[${types.join(' ')}]` });
}

/** Fields for templates that access them, and JSON for those that print the entire value. */
function withJson(fields: MapValue, json: () => string): MapValue {
  return withText(fields, { text: json, json });
}

// Makes sure that system messages reach the prompt. Some templates reject them, others leave them out silently. Then they
// are put in front of the next question.

export type Render = (conversation: PromptConversation) => Promise<string>;

export async function renderWithSystem(conversation: PromptConversation, render: Render): Promise<string> {
  const isSystem = ({ role, content }: Message): boolean => role === 'system' && content.trim() !== '';
  if (!conversation.messages.some(isSystem)) return render(conversation);
  const text = await renderUnlessRejected(conversation, render);
  if (typeof text === 'string' && conversation.messages.filter(isSystem).every((message) => shows(text, message)))
    return text;
  const missing = (message: Message): boolean =>
    isSystem(message) && (typeof text !== 'string' || !shows(text, message));
  const merged = mergeIntoQuestions(conversation.messages, missing);
  if (merged === undefined) return typeof text === 'string' ? text : Promise.reject(text);
  return render({ ...conversation, messages: merged });
}

/** The error of a template that rejects the conversation. */
export async function renderUnlessRejected(
  conversation: PromptConversation,
  render: Render,
): Promise<string | HearthError> {
  try {
    return await render(conversation);
  } catch (error) {
    if (error instanceof HearthError && error.code === 'bad_template') return error;
    throw error;
  }
}

function shows(text: string, { content }: Message): boolean {
  return text.includes(content.trim());
}

/** Undefined if there is no question. */
function mergeIntoQuestions(
  messages: readonly Message[],
  isMerged: (message: Message) => boolean,
): readonly Message[] | undefined {
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user');
  if (lastQuestion === -1) return undefined;
  const result: Message[] = [];
  let waiting: string[] = [];
  // Messages after the last question have no next question.
  const late = messages.slice(lastQuestion).filter(isMerged);
  messages.forEach((message, index) => {
    if (isMerged(message)) {
      if (index < lastQuestion) waiting.push(message.content);
    } else if (message.role === 'user') {
      if (index === lastQuestion) waiting.push(...late.map(({ content }) => content));
      result.push(waiting.length === 0 ? message : { ...message, content: [...waiting, message.content].join('\n\n') });
      waiting = [];
    } else result.push(message);
  });
  return result;
}
