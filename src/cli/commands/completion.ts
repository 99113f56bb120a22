// hearth completion SHELL: the scripts call `hearth __complete`, so that they never have to be regenerated.

import { readdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { HearthError } from '../../base/errors.ts';
import { parseTimestamp } from '../../base/time/timestamp.ts';
import type { CliContext, CommandSpec } from '../command.ts';
import { formatByteSize, formatMoment, safeLine } from '../output/format.ts';
import { type CompletionCandidate, type CompletionPlan, planCompletion } from './complete-line.ts';

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
  // Columns of the candidates are separated by tabs. A colon in a name is escaped, since zsh separates with colons.
  zsh: `#compdef hearth
_hearth() {
  local -a lines described folders
  local line word
  lines=("\${(@f)$(hearth __complete --describe "$LBUFFER" 2>/dev/null)}")
  for line in $lines; do
    word=\${line%%$'\\t'*}
    if [[ $word == */ ]]; then folders+=("$word")
    elif [[ $line == *$'\\t'* ]]; then described+=("\${word//:/\\\\:}:\${line#*$'\\t'}")
    else described+=("\${word//:/\\\\:}")
    fi
  done
  (( $#described )) && _describe hearth described
  (( $#folders )) && compadd -S '' -- $folders
}
if [ "$funcstack[1]" = _hearth ]; then _hearth "$@"; else compdef _hearth hearth; fi
`,
  fish: `complete -c hearth -f -a '(hearth __complete --describe (commandline -cp | string collect) 2>/dev/null)'
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
  },
};

/** Prints the candidates for a line up to the cursor, one per line, with a tab before its description if asked for. */
export const completeCommand: CommandSpec = {
  name: '__complete',
  summary: 'Print completion candidates',
  arguments: [{ name: 'line', required: true, completes: 'nothing' }],
  options: [{ flags: '--describe', help: 'Print descriptions' }],
  examples: [],
  hidden: true,
  async execute(context, { words: [line = ''], options }) {
    const { word, completes } = planCompletion(context.commands, line);
    // A shell that completes cannot show errors.
    const candidates = await candidatesOf(context, completes, word).catch(() => []);
    const matching = candidates.filter((candidate) => candidate.word.startsWith(word));
    const lines = matching.map((candidate) => formatCandidate(candidate, options['describe'] === true));
    context.terminal.stdout.write(lines.join(''));
  },
};

function formatCandidate({ word, help = '' }: CompletionCandidate, describe: boolean): string {
  return `${safeLine(word)}${describe && help !== '' ? `\t${safeLine(help)}` : ''}\n`;
}

async function candidatesOf(
  { client, signal, clock }: CliContext,
  completes: CompletionPlan['completes'],
  word: string,
): Promise<readonly CompletionCandidate[]> {
  if (completes === 'nothing') return [];
  if (completes === 'file') return filesLike(word);
  if (completes !== 'model') return completes;
  const { models } = await client().list(signal);
  return models.map(({ name, size, modified_at }) => ({
    word: name,
    help: `${formatByteSize(size)}, ${formatMoment(parseTimestamp(modified_at), clock.now())}`,
  }));
}

async function filesLike(word: string): Promise<CompletionCandidate[]> {
  const folder = word.endsWith(sep) ? word : dirname(word);
  const entries = await readdir(folder === '' ? '.' : folder, { withFileTypes: true });
  const inside = word.includes(sep) ? folder : '';
  return entries.map((entry) => ({ word: `${join(inside, entry.name)}${entry.isDirectory() ? sep : ''}` }));
}
