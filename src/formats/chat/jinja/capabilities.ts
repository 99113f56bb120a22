// What a Jinja template can do, by the words in it: nothing else in a GGUF file says so.

export interface JinjaAbilities {
  readonly tools: boolean;
  readonly thinking: boolean;
}

export function jinjaAbilities(source: string): JinjaAbilities {
  return {
    tools: /tools|tool_call/.test(source),
    thinking: source.includes('<think>') && source.includes('</think>'),
  };
}
