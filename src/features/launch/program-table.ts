// The programs that `hearth launch` can start, in the order of the list.

import { filePrograms } from './file-programs.ts';
import type { Program, ProgramRow } from './program.ts';
import { runPrograms } from './run-programs.ts';
import { savedPrograms } from './saved-programs.ts';
import { yamlPrograms } from './yaml-programs.ts';

/** Tokens; recommended for agents by the documentation of Ollama. */
const agentContext = 64_000;

/** Programs that Ollama's command starts, and why this one does not. */
export const otherPrograms: ReadonlyMap<string, string> = new Map(
  (
    [
      [
        ['claude-desktop', 'claude-app'],
        'Claude Desktop reaches other models only through a gateway that the Ollama application runs on macOS and Windows; use `hearth launch claude`',
      ],
      [
        ['chatgpt', 'codex-app', 'codex-desktop', 'codex-gui'],
        'the ChatGPT application, which exists for macOS and Windows, takes its model from the main file of Codex, which this command does not change; use `hearth launch codex`',
      ],
    ] as const
  ).flatMap(([names, reason]) => names.map((name) => [name, reason] as const)),
);

export const programTable: readonly Program[] = [
  ...[...savedPrograms, ...runPrograms].map((row) => complete(row, false)),
  ...[...filePrograms, ...yamlPrograms].map((row) => complete(row, true)),
];

function complete(row: ProgramRow, needsFile: boolean): Program {
  return { command: row.name, minContext: agentContext, needsTools: true, needsFile, ...row };
}
