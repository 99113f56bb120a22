// Go templates for formats that enclose every message in two texts that depend on its role.

import type { FormatRow } from './chat-format.ts';

/** The texts before and after the content. */
type Around = readonly [before: string, after: string];

interface TurnFormat {
  readonly system: Around;
  readonly user: Around;
  readonly assistant: Around;
  /** The generation prompt. */
  readonly ask: string;
  /** The system message is part of the user's turn, before the question. */
  readonly systemInUser?: boolean;
  /** Written if there is no system message. */
  readonly withoutSystem?: string;
}

export type TurnRow = Omit<FormatRow, 'template'> & { readonly turns: TurnFormat };

export function toFormatRows(rows: readonly TurnRow[]): readonly FormatRow[] {
  return rows.map(({ turns, ...row }) => ({ ...row, template: toTurnTemplate(turns) }));
}

// The model continues an assistant message at the end, so no text follows it.
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
