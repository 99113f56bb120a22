// Version 5: entries, such as users. A removed one has no text.

export const entries = `
CREATE SEQUENCE hearth.entry_versions;
CREATE TABLE hearth.entries (
  kind text NOT NULL,
  id text NOT NULL,
  version bigint NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  text text,
  PRIMARY KEY (kind, id)
);
CREATE INDEX ON hearth.entries (kind, version);
`;
