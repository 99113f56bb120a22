// Go templates for formats in which every message stands between two texts of its role.

import type { FormatRow } from './chat-format.ts';

/** What stands before the content, and what behind it. */
type Around = readonly [before: string, after: string];

export interface TurnFormat {
  readonly system: Around;
  readonly user: Around;
  readonly assistant: Around;
  /** What asks for an answer. */
  readonly ask: string;
  /** The system message stands in the turn of the user, before the question. */
  readonly systemInUser?: boolean;
  /** What stands in for a system message when there is none. */
  readonly withoutSystem?: string;
}

export type TurnRow = Omit<FormatRow, 'template'> & { readonly turns: TurnFormat };

export function toFormatRows(rows: readonly TurnRow[]): readonly FormatRow[] {
  return rows.map(({ turns, ...row }) => ({ ...row, template: toTurnTemplate(turns) }));
}

// An assistant's message at the end is one to go on from: nothing stands behind it.
const isLast = '{{ $last := eq (len (slice $.Messages $i)) 1 }}';

function toTurnTemplate({ user, assistant, ask, withoutSystem, ...format }: TurnFormat): string {
  const [system, question] = format.systemInUser
    ? shareTurn(format.system, user)
    : [around(format.system), around(user)];
  const turns = [
    `{{ if eq .Role "system" }}${system}`,
    `{{ else if eq .Role "user" }}${question}`,
    `{{ else if eq .Role "assistant" }}${assistant[0]}{{ .Content }}{{ if not $last }}${assistant[1]}{{ end }}{{ end }}`,
    ask === '' ? '' : `{{ if and $last (ne .Role "assistant") }}${ask}{{ end }}`,
  ];
  const start = withoutSystem === undefined ? '' : `{{ if not .System }}${withoutSystem}{{ end }}`;
  const shared = format.systemInUser ? '{{ $begun := false }}' : '';
  return `${start}${shared}{{ range $i, $message := .Messages }}${isLast}${turns.join('')}{{ end }}`;
}

function around([before, after]: Around): string {
  return `${before}{{ .Content }}${after}`;
}

function shareTurn(system: Around, user: Around): [system: string, user: string] {
  return [
    `${user[0]}${around(system)}{{ $begun = true }}`,
    `{{ if not $begun }}${user[0]}{{ end }}{{ .Content }}${user[1]}{{ $begun = false }}`,
  ];
}
