// Decides between the Go template of a model and the Jinja template in its weights, as Ollama does: the one in the weights
// wins if it can do more, or if only it writes both the calls and the results of tools.

import type { TemplateTraits } from './prompt-template.ts';

interface OwnTemplate extends Pick<TemplateTraits, 'supportsTools' | 'supportsInsertion' | 'thinkingTags'> {
  /** The source text. */
  readonly text: string;
}

export function prefersWeights(jinja: string, own: OwnTemplate): boolean {
  const inWeights = { tools: hasTools(jinja), thinking: hasThinking(jinja), insertion: false };
  const inOwn = {
    tools: own.supportsTools,
    thinking: own.thinkingTags !== undefined,
    insertion: own.supportsInsertion,
  };
  const more = countOf(inWeights) - countOf(inOwn);
  if (more > 0) return !writesResults(own) || jinjaWritesResults(jinja);
  const isSame = more === 0 && inWeights.thinking === inOwn.thinking && !inOwn.insertion;
  return isSame && inOwn.tools && jinjaWritesResults(jinja) && !writesResults(own);
}

function countOf(abilities: Readonly<Record<string, boolean>>): number {
  return Object.values(abilities).filter(Boolean).length;
}

function hasTools(jinja: string): boolean {
  return jinja.includes('tools') || jinja.includes('tool_call');
}

function hasThinking(jinja: string): boolean {
  if (jinja.includes('<think>') && jinja.includes('</think>')) return true;
  // These only remove the thinking of earlier answers.
  const removes = /content\.split\((?:'<\/think>'|"<\/think>")\)/.test(jinja);
  return removes && !jinja.includes('reasoning_content') && !jinja.includes('<SPECIAL_12>');
}

const jinjaResults = /tool_response|tool_results|role['"]\] == ['"]tool['"]|message\.role == ['"]tool['"]|ipython/;

function jinjaWritesResults(jinja: string): boolean {
  return hasTools(jinja) && /tool_calls|assistant_tool_call/.test(jinja) && jinjaResults.test(jinja);
}

function writesResults({ text, supportsTools }: OwnTemplate): boolean {
  return supportsTools && /\.ToolCalls\b/i.test(text) && /eq \.Role "tool"|tool_response|TOOL_RESULTS/.test(text);
}
