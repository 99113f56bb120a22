// Version 4: answers that can be resumed.

export const streams = `
CREATE TABLE hearth.streams (
  id text PRIMARY KEY,
  owner text NOT NULL,
  is_over boolean NOT NULL DEFAULT false,
  error text,
  expires_at timestamptz NOT NULL,
  read_at timestamptz
);
CREATE INDEX ON hearth.streams (expires_at);

CREATE TABLE hearth.stream_parts (
  id text NOT NULL REFERENCES hearth.streams ON DELETE CASCADE,
  number bigint NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (id, number)
);
`;
