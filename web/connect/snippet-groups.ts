// The snippets of the view, in its order.

import type { Label } from '../language/catalogue.ts';
import { agentSnippets } from './agent-snippets.ts';
import { editorSnippets } from './editor-snippets.ts';
import { commandSnippets, pythonSnippets, typescriptSnippets } from './sdk-snippets.ts';
import type { Snippet } from './snippet.ts';

export interface SnippetGroup {
  readonly title: Label;
  readonly snippets: readonly Snippet[];
  /** Tokens that the programs of the group need. */
  readonly minContext?: number;
  readonly needsTools?: boolean;
}

export const snippetGroups: readonly SnippetGroup[] = [
  { title: 'Commands', snippets: commandSnippets },
  { title: 'Python', snippets: pythonSnippets },
  { title: 'TypeScript', snippets: typescriptSnippets },
  // The documentation of Ollama recommends this context for agents.
  { title: 'Agents', snippets: agentSnippets, minContext: 64_000, needsTools: true },
  { title: 'Editors', snippets: editorSnippets },
];
