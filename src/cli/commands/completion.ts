// hearth completion SHELL: the scripts call `hearth __complete`, so that they never have to be regenerated.

import { readdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { HearthError } from '../../base/errors.ts';
import type { CliContext, CommandSpec, CompletionSource } from '../command.ts';
import { planCompletion } from '../complete-line.ts';
import { safeLine } from '../output/format.ts';

const scripts: Readonly<Record<string, string>> = {
  // Bash splits words at colons, so the part before the colon is removed from the candidates.
  bash: `_hearth() {
  local line="\${COMP_LINE:0:COMP_POINT}" IFS=$'\\n'
  local word="\${line##*[[:space:]]}" before=""
  [[ $COMP_WORDBREAKS == *:* && $word == *:* ]] && before="\${word%:*}:"
  COMPREPLY=( $(hearth __complete "$line" 2>/dev/null) )
  COMPREPLY=( "\${COMPREPLY[@]#"$before"}" )
  [[ \${COMPREPLY[0]} == */ ]] && compopt -o nospace
}
complete -F _hearth hearth
`,
  zsh: `#compdef hearth
_hearth() {
  local -a candidates folders
  candidates=("\${(@f)$(hearth __complete "$LBUFFER" 2>/dev/null)}")
  folders=(\${(M)candidates:#*/})
  candidates=(\${candidates:#*/})
  compadd -- \${candidates:#}
  compadd -S '' -- $folders
}
if [ "$funcstack[1]" = _hearth ]; then _hearth "$@"; else compdef _hearth hearth; fi
`,
  fish: `complete -c hearth -f -a '(hearth __complete (commandline -cp | string collect) 2>/dev/null)'
`,
};
const shells = Object.keys(scripts);

export const completionCommand: CommandSpec = {
  name: 'completion',
  summary: 'Generate a shell completion script',
  description:
    'The script completes commands, flags and model names. For bash and zsh, source it in ~/.bashrc or ~/.zshrc. For fish, save it to a file.',
  arguments: [{ name: 'shell', required: true, completes: shells }],
  examples: [
    'source <(hearth completion bash)',
    'source <(hearth completion zsh)',
    'hearth completion fish > ~/.config/fish/completions/hearth.fish',
  ],
  async execute({ terminal }, { words: [shell = ''] }) {
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined)
      throw new HearthError('bad_request', `unknown shell "${safeLine(shell)}"; supported: ${shells.join(', ')}`);
    terminal.stdout.write(script);
    return undefined;
  },
};

/** Prints the candidates for a line up to the cursor, one per line. Errors print nothing. */
export function completeCommand(commands: () => readonly CommandSpec[]): CommandSpec {
  return {
    name: '__complete',
    summary: 'Print completion candidates',
    arguments: [{ name: 'line', required: true, completes: 'nothing' }],
    examples: [],
    hidden: true,
    async execute(context, { words: [line = ''] }) {
      const { word, completes } = planCompletion(commands(), line);
      const candidates = await candidatesOf(context, completes, word).catch(() => []);
      const matching = candidates.filter((candidate) => candidate.startsWith(word));
      context.terminal.stdout.write(matching.map((candidate) => `${safeLine(candidate)}\n`).join(''));
      return undefined;
    },
  };
}

async function candidatesOf(
  { client, signal }: CliContext,
  completes: CompletionSource,
  word: string,
): Promise<string[]> {
  if (completes === 'nothing') return [];
  if (completes === 'model') return (await client().list(signal)).models.map(({ name }) => name);
  if (completes === 'file') return filesLike(word);
  return [...completes];
}

async function filesLike(word: string): Promise<string[]> {
  const folder = word.endsWith(sep) ? word : dirname(word);
  const entries = await readdir(folder === '' ? '.' : folder, { withFileTypes: true });
  const inside = word.includes(sep) ? folder : '';
  return entries.map((entry) => `${join(inside, entry.name)}${entry.isDirectory() ? sep : ''}`);
}
