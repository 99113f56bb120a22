// What Ollama's renderers and parsers were given and what they returned. The Go package in record/ writes it.

export interface RecordedTool {
  readonly type?: string;
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown };
}

export interface RecordedMessage {
  readonly role: string;
  readonly content: string;
  readonly images?: readonly string[];
  readonly thinking?: string;
  readonly tool_calls?: readonly RecordedCall[];
  readonly tool_name?: string;
  readonly tool_call_id?: string;
}

export interface RecordedCall {
  readonly id?: string;
  readonly function: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
}

export type RecordedThink = boolean | string | null;

interface RenderEvent {
  readonly event: 'render';
  readonly name: string;
  readonly type: string;
  readonly shape: string;
  readonly messages: readonly RecordedMessage[] | null;
  readonly tools: readonly RecordedTool[] | null;
  readonly think: RecordedThink;
  /** In Base64. */
  readonly text: string;
  readonly error: string;
}

interface OpenEvent {
  readonly event: 'open';
  readonly name: string;
  readonly id: string;
  readonly type: string;
  readonly shape: string;
  readonly hasTools: boolean;
  readonly hasThinking: boolean;
  readonly tokens: readonly string[] | null;
  readonly tools: readonly RecordedTool[] | null;
  readonly lastMessage: RecordedMessage | null;
  readonly think: RecordedThink;
}

interface PushEvent {
  readonly event: 'push';
  readonly id: string;
  readonly type: string;
  /** Texts are in Base64. */
  readonly given: string;
  readonly done: boolean;
  readonly content: string;
  readonly thinking: string;
  readonly calls: readonly RecordedCall[] | null;
  readonly error: string;
}

/** What a renderer was given, and its prompt. */
export interface RecordedPrompt extends Pick<RenderEvent, 'name' | 'type' | 'shape' | 'think' | 'error'> {
  readonly messages: readonly RecordedMessage[];
  readonly tools: readonly RecordedTool[];
  readonly text: string;
}

export interface RecordedParts {
  readonly content: string;
  readonly thinking: string;
  readonly calls: readonly RecordedCall[];
  readonly error: string;
}

/** What a parser was given, and its parts. */
export interface RecordedAnswer extends RecordedParts, Omit<OpenEvent, 'event' | 'id' | 'tools' | 'tokens'> {
  readonly tools: readonly RecordedTool[];
  readonly tokens: readonly string[];
  readonly text: string;
  /** Whether the parser was told that the answer ended. */
  readonly done: boolean;
}

export interface Recording {
  readonly prompts: readonly RecordedPrompt[];
  readonly answers: readonly RecordedAnswer[];
}

const decode = (texts: readonly string[]): string =>
  Buffer.concat(texts.map((text) => Buffer.from(text, 'base64'))).toString();

export function readRecording(lines: string): Recording {
  const prompts: RecordedPrompt[] = [];
  const uses: { open: OpenEvent; pushes: PushEvent[] }[] = [];
  const current = new Map<string, PushEvent[]>();
  for (const line of lines.split('\n')) {
    if (line === '') continue;
    const event = JSON.parse(line) as RenderEvent | OpenEvent | PushEvent;
    if (event.event === 'render') {
      prompts.push({ ...event, messages: event.messages ?? [], tools: event.tools ?? [], text: decode([event.text]) });
    } else if (event.event === 'open') {
      const pushes: PushEvent[] = [];
      uses.push({ open: event, pushes });
      current.set(event.id, pushes);
    } else {
      current.get(event.id)?.push(event);
    }
  }
  const answers = uses.filter(({ pushes }) => pushes.length > 0);
  return { prompts, answers: answers.map(toAnswer) };
}

function toAnswer({ open, pushes }: { open: OpenEvent; pushes: readonly PushEvent[] }): RecordedAnswer {
  return {
    ...open,
    tools: open.tools ?? [],
    tokens: open.tokens ?? [],
    text: decode(pushes.map(({ given }) => given)),
    content: decode(pushes.map(({ content }) => content)),
    thinking: decode(pushes.map(({ thinking }) => thinking)),
    calls: pushes.flatMap(({ calls }) => calls ?? []),
    error: pushes.find(({ error }) => error !== '')?.error ?? '',
    done: pushes.some(({ done }) => done),
  };
}
