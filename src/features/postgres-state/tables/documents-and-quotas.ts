// Version 1: documents, and quotas. Functions do what must not be interrupted in one round trip. Times and days are those
// of the database, so that the clocks of servers do not matter.

export const documentsAndQuotas = `
CREATE TABLE hearth.documents (
  name text PRIMARY KEY,
  version bigint NOT NULL,
  text text NOT NULL
);

CREATE TABLE hearth.request_buckets (
  key text PRIMARY KEY,
  remaining double precision NOT NULL,
  at timestamptz NOT NULL
);

CREATE TABLE hearth.tokens_of_day (
  key text NOT NULL,
  day date NOT NULL,
  used bigint NOT NULL,
  PRIMARY KEY (key, day)
);
CREATE INDEX ON hearth.tokens_of_day (day);

CREATE TABLE hearth.reservations (
  id text PRIMARY KEY,
  key text NOT NULL,
  tokens bigint NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX ON hearth.reservations (key);
CREATE INDEX ON hearth.reservations (expires_at);

CREATE TABLE hearth.settlements (
  server text PRIMARY KEY,
  number bigint NOT NULL,
  at timestamptz NOT NULL
);

CREATE FUNCTION hearth.today() RETURNS date LANGUAGE sql STABLE AS
  $$ SELECT (now() AT TIME ZONE 'UTC')::date $$;

CREATE FUNCTION hearth.take_request(of_key text, per_minute double precision) RETURNS double precision
LANGUAGE plpgsql AS $$
DECLARE found_remaining double precision; found_at timestamptz; available double precision; moment timestamptz;
BEGIN
  INSERT INTO hearth.request_buckets VALUES (of_key, per_minute, clock_timestamp()) ON CONFLICT DO NOTHING;
  SELECT remaining, at INTO found_remaining, found_at FROM hearth.request_buckets WHERE key = of_key FOR UPDATE;
  moment := clock_timestamp();
  available := least(per_minute,
    found_remaining + greatest(0, extract(epoch FROM moment - found_at)) * per_minute / 60);
  IF available < 1 THEN RETURN (1 - available) * 60 / per_minute; END IF;
  UPDATE hearth.request_buckets SET remaining = available - 1, at = moment WHERE key = of_key;
  RETURN 0;
END $$;

CREATE FUNCTION hearth.lock_tokens(of_key text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE found bigint;
BEGIN
  INSERT INTO hearth.tokens_of_day VALUES (of_key, hearth.today(), 0) ON CONFLICT DO NOTHING;
  SELECT used INTO found FROM hearth.tokens_of_day WHERE key = of_key AND day = hearth.today() FOR UPDATE;
  RETURN found;
END $$;

-- Tokens that are granted; -1: all are used; -2: running requests may use the rest.
CREATE FUNCTION hearth.reserve(of_id text, of_key text, of_limit bigint, wanted bigint, lease interval)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE already bigint; held bigint; others bigint; available bigint;
BEGIN
  already := hearth.lock_tokens(of_key);
  IF already >= of_limit THEN RETURN -1; END IF;
  SELECT coalesce(sum(tokens), 0), count(*) INTO held, others
    FROM hearth.reservations WHERE key = of_key AND tokens > 0 AND expires_at > clock_timestamp();
  available := of_limit - already - held;
  IF available < wanted AND others > 0 THEN RETURN -2; END IF;
  available := greatest(0, least(available, wanted));
  INSERT INTO hearth.reservations VALUES (of_id, of_key, available, clock_timestamp() + lease);
  RETURN available;
END $$;

CREATE FUNCTION hearth.extend(of_id text, of_key text, of_limit bigint, wanted bigint, lease interval)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE already bigint; held bigint; available bigint;
BEGIN
  already := hearth.lock_tokens(of_key);
  SELECT coalesce(sum(tokens), 0) INTO held
    FROM hearth.reservations WHERE key = of_key AND expires_at > clock_timestamp();
  available := greatest(0, least(of_limit - already - held, wanted));
  INSERT INTO hearth.reservations VALUES (of_id, of_key, available, clock_timestamp() + lease)
    ON CONFLICT (id) DO UPDATE SET tokens = hearth.reservations.tokens + available, expires_at = clock_timestamp() + lease;
  RETURN available;
END $$;

CREATE FUNCTION hearth.settle(
  of_server text, of_number bigint, ids text[], keys text[], amounts bigint[], over boolean[], lease interval
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE last bigint;
BEGIN
  INSERT INTO hearth.settlements VALUES (of_server, 0, now()) ON CONFLICT DO NOTHING;
  SELECT number INTO last FROM hearth.settlements WHERE server = of_server FOR UPDATE;
  IF last >= of_number THEN RETURN; END IF;
  UPDATE hearth.settlements SET number = of_number, at = now() WHERE server = of_server;
  -- In the order of keys, so that two servers do not wait for each other.
  PERFORM hearth.lock_tokens(k) FROM (SELECT DISTINCT unnest(keys) AS k ORDER BY 1) AS sorted;
  UPDATE hearth.tokens_of_day AS t SET used = t.used + s.amount
    FROM (SELECT k, sum(a) AS amount FROM unnest(keys, amounts) AS u(k, a) GROUP BY k) AS s
    WHERE t.key = s.k AND t.day = hearth.today();
  UPDATE hearth.reservations AS r SET tokens = greatest(0, r.tokens - s.a), expires_at = clock_timestamp() + lease
    FROM unnest(ids, amounts) AS s(i, a) WHERE r.id = s.i;
  DELETE FROM hearth.reservations WHERE id IN (SELECT i FROM unnest(ids, over) AS s(i, o) WHERE o);
  DELETE FROM hearth.reservations WHERE expires_at < now() - interval '1 hour';
  DELETE FROM hearth.tokens_of_day WHERE day < hearth.today() - 7;
  DELETE FROM hearth.settlements WHERE at < now() - interval '7 days';
END $$;
`;
