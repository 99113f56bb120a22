// A request to a remote that is answered with a stream.

export interface WireRequest {
  readonly path: string;
  readonly body: object;
  /** Options that the remote does not have, by the names that requests use. */
  readonly ignored: readonly string[];
  /** Stop sequences that the remote does not look for. */
  readonly ownStops: readonly string[];
}

/** Only vLLM has a limit for thinking. */
export function ignoredBudget({ thinkingBudget }: { readonly thinkingBudget?: number }): string[] {
  return thinkingBudget === undefined ? [] : ['thinking_budget'];
}

/** Only OpenAI's own API has predictions. */
export function ignoredPrediction({ prediction }: { readonly prediction?: string }): string[] {
  return prediction === undefined ? [] : ['prediction'];
}

/** For servers whose templates cannot be told anything. `meant`: variables that the request says otherwise. */
export function ignoredVariables(
  { templateVariables = {} }: { readonly templateVariables?: object },
  meant: readonly string[] = [],
): string[] {
  const names = Object.keys(templateVariables).filter((name) => !meant.includes(name));
  return names.map((name) => `chat_template_kwargs.${name}`);
}
