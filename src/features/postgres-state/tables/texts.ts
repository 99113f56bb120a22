// Version 3: texts of owners, such as conversations.

export const texts = `
CREATE TABLE hearth.texts (
  kind text NOT NULL,
  owner text NOT NULL,
  id text NOT NULL,
  head text NOT NULL,
  bytes bigint NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (kind, owner, id)
);
`;
