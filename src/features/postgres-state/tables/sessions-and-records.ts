// Version 2: sessions of web pages, and the usage log.

export const sessionsAndRecords = `
CREATE TABLE hearth.sessions (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  key text NOT NULL,
  hash text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX ON hearth.sessions (key, number);

CREATE TABLE hearth.records (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  server text NOT NULL,
  number bigint NOT NULL,
  at timestamptz NOT NULL,
  text text NOT NULL,
  UNIQUE (server, number)
);
`;
