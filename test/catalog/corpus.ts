/** A database with every construct that makes a statement touch more than its text names. */
export const CORPUS = `
CREATE SCHEMA shop;
CREATE SCHEMA tenant_a;
CREATE TABLE shop.items (id serial PRIMARY KEY, name text);

-- Foreign keys: a chain, a cycle, both kinds of action, one without any.
CREATE TABLE users (id serial PRIMARY KEY, name text, seen_at timestamptz);
CREATE TABLE posts (id serial PRIMARY KEY, user_id int REFERENCES users ON DELETE CASCADE ON UPDATE CASCADE, title text);
CREATE TABLE comments (id serial PRIMARY KEY, post_id int REFERENCES posts ON DELETE CASCADE ON UPDATE CASCADE, body text);
CREATE TABLE drafts (id serial PRIMARY KEY, user_id int REFERENCES users ON DELETE SET NULL);
CREATE TABLE badges (id serial PRIMARY KEY, user_id int DEFAULT 1 REFERENCES users ON DELETE SET DEFAULT);
CREATE TABLE invoices (id serial PRIMARY KEY, user_id int REFERENCES users);
CREATE TABLE ring_a (id int PRIMARY KEY, b_id int);
CREATE TABLE ring_b (id int PRIMARY KEY, a_id int REFERENCES ring_a ON DELETE CASCADE);
ALTER TABLE ring_a ADD FOREIGN KEY (b_id) REFERENCES ring_b ON DELETE CASCADE;
CREATE TABLE codes (base int, code int GENERATED ALWAYS AS (base * 2) STORED UNIQUE);
CREATE TABLE coded (code int REFERENCES codes (code) ON DELETE CASCADE);
CREATE TABLE unrelated (id serial PRIMARY KEY, note text);

-- Triggers.
CREATE TABLE counters (name text PRIMARY KEY, n int);
CREATE TABLE notes (id serial PRIMARY KEY, body text, flagged bool, updated_at timestamptz);
CREATE FUNCTION count_note() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN UPDATE counters SET n = n + 1 WHERE name = 'notes'; RETURN NULL; END $$;
CREATE TRIGGER counted AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION count_note();
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN NEW.updated_at := now(); RETURN NEW; END $$;
CREATE TRIGGER touched BEFORE UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TABLE flags (note_id int);
CREATE FUNCTION flag() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO flags SELECT id FROM changed_notes WHERE flagged; RETURN NULL; END $$;
CREATE TRIGGER flagged AFTER UPDATE ON notes REFERENCING NEW TABLE AS changed_notes FOR EACH STATEMENT EXECUTE FUNCTION flag();
CREATE TABLE flag_log (n int);
CREATE FUNCTION log_flag() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO flag_log VALUES (1); RETURN NEW; END $$;
CREATE TRIGGER only_flag AFTER UPDATE OF flagged ON notes FOR EACH ROW EXECUTE FUNCTION log_flag();
CREATE TABLE sleepers (id int);
CREATE TRIGGER off AFTER INSERT ON sleepers FOR EACH ROW EXECUTE FUNCTION log_flag();
ALTER TABLE sleepers DISABLE TRIGGER off;
CREATE TABLE emptied (id int);
CREATE FUNCTION log_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO flag_log VALUES (2); RETURN NULL; END $$;
CREATE TRIGGER on_truncate AFTER TRUNCATE ON emptied FOR EACH STATEMENT EXECUTE FUNCTION log_truncate();
CREATE TABLE documents (id serial PRIMARY KEY, body text, search tsvector);
CREATE TRIGGER searched BEFORE INSERT OR UPDATE ON documents FOR EACH ROW
  EXECUTE FUNCTION tsvector_update_trigger(search, 'pg_catalog.english', body);
CREATE TABLE orders (id serial PRIMARY KEY, total int);
CREATE TABLE order_totals (day date, total int);
CREATE TABLE order_lines (id serial PRIMARY KEY, order_id int REFERENCES orders ON DELETE CASCADE);
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN EXECUTE format('INSERT INTO %I VALUES (current_date, 1)', 'order_totals'); RETURN NULL; END $$;
CREATE TRIGGER audited AFTER INSERT OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION audit();
CREATE TABLE keyed (id int PRIMARY KEY, v int);
CREATE TABLE keyed_child (keyed_id int REFERENCES keyed ON UPDATE CASCADE);
CREATE FUNCTION rekey() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.id := NEW.id + 100; RETURN NEW; END $$;
CREATE TRIGGER rekeyed BEFORE UPDATE ON keyed FOR EACH ROW EXECUTE FUNCTION rekey();

-- Rules.
CREATE TABLE ruled (id int);
CREATE TABLE ruled_log (id int);
CREATE RULE also AS ON INSERT TO ruled DO ALSO INSERT INTO ruled_log VALUES (NEW.id);

-- Views: plain, of a view, updatable, with an INSTEAD OF trigger, with a function that writes; a materialized one.
CREATE VIEW user_posts AS SELECT u.name, p.title FROM users u JOIN posts p ON p.user_id = u.id;
CREATE VIEW user_posts_upper AS SELECT upper(name) AS name FROM user_posts;
CREATE VIEW plain_notes AS SELECT id, body FROM notes;
CREATE VIEW facade AS SELECT 1 AS id;
CREATE TABLE behind (id int);
CREATE FUNCTION to_behind() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO behind VALUES (NEW.id); RETURN NEW; END $$;
CREATE TRIGGER instead INSTEAD OF INSERT ON facade FOR EACH ROW EXECUTE FUNCTION to_behind();
CREATE MATERIALIZED VIEW post_counts AS SELECT user_id, count(*) AS n FROM posts GROUP BY user_id;

-- Partitions and inheritance.
CREATE TABLE events (at int, kind text) PARTITION BY RANGE (at);
CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM (0) TO (100);
CREATE TABLE events_2 PARTITION OF events FOR VALUES FROM (100) TO (200);
CREATE TABLE event_moves (n int);
CREATE FUNCTION log_move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO event_moves VALUES (1); RETURN NULL; END $$;
CREATE TRIGGER moved AFTER DELETE ON events FOR EACH ROW EXECUTE FUNCTION log_move();
CREATE TABLE animals (id int);
CREATE TABLE cats (lives int) INHERITS (animals);

-- Row-level security.
CREATE TABLE memberships (user_name text, room int);
CREATE TABLE rooms (id int, topic text);
ALTER TABLE rooms ENABLE ROW LEVEL SECURITY;
CREATE POLICY members ON rooms USING (EXISTS (SELECT FROM memberships m WHERE m.room = rooms.id AND m.user_name = current_user));
CREATE TABLE grants (room int);
CREATE FUNCTION granted(room int) RETURNS bool LANGUAGE sql STABLE AS 'SELECT EXISTS (SELECT FROM grants g WHERE g.room = $1)';
CREATE TABLE halls (id int);
ALTER TABLE halls ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_function ON halls USING (granted(id));
CREATE TABLE open_halls (id int);
CREATE POLICY not_enabled ON open_halls USING (granted(id));

-- Functions.
CREATE TABLE hits (n int);
CREATE FUNCTION bump() RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO hits VALUES (1); RETURN 1; END $$;
CREATE FUNCTION sly() RETURNS int LANGUAGE sql STABLE AS 'SELECT bump()';
CREATE FUNCTION post_count(u int) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM posts WHERE user_id = u';
CREATE FUNCTION post_titles(u int) RETURNS SETOF text LANGUAGE plpgsql STABLE AS
  $$ DECLARE r record; BEGIN FOR r IN SELECT title FROM posts WHERE user_id = u LOOP RETURN NEXT r.title; END LOOP; END $$;
CREATE FUNCTION display(u users) RETURNS text LANGUAGE sql STABLE AS
  'SELECT u.name || (SELECT count(*)::text FROM badges b WHERE b.user_id = u.id)';
CREATE FUNCTION dynamic(t text) RETURNS int LANGUAGE plpgsql AS
  $$ DECLARE n int; BEGIN EXECUTE 'SELECT count(*) FROM ' || t INTO n; RETURN n; END $$;
CREATE FUNCTION add_one(i int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT i + 1';
CREATE FUNCTION locks() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM (SELECT id FROM users FOR UPDATE) x';
CREATE FUNCTION next_note() RETURNS bigint LANGUAGE sql AS $$SELECT nextval('notes_id_seq')$$;
CREATE FUNCTION even(n int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RETURN n = 0 OR odd(n - 1); END $$;
CREATE FUNCTION odd(n int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RETURN n <> 0 AND even(n - 1); END $$;
CREATE FUNCTION tally_step(s bigint, v int) RETURNS bigint LANGUAGE sql AS 'SELECT s + v + (SELECT count(*) FROM flags)';
CREATE AGGREGATE tally(int) (SFUNC = tally_step, STYPE = bigint, INITCOND = '0');
CREATE PROCEDURE clear_hits() LANGUAGE sql AS 'DELETE FROM hits';
CREATE VIEW busy AS SELECT bump() AS n;
CREATE VIEW activity AS SELECT pid FROM pg_stat_activity;
CREATE FUNCTION default_note() RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO hits VALUES (2); RETURN 'x'; END $$;
CREATE TABLE defaulted (id int, note text DEFAULT default_note());
CREATE FUNCTION valid(i int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN INSERT INTO flag_log VALUES (i); RETURN true; END $$;
CREATE TABLE checked (id int CHECK (valid(id)));
CREATE FUNCTION shop.stock() RETURNS bigint LANGUAGE sql SET search_path = shop AS 'SELECT count(*) FROM items';
CREATE FUNCTION with_default(i int DEFAULT bump()) RETURNS int LANGUAGE sql AS 'SELECT i';
CREATE FUNCTION scratch() RETURNS bigint LANGUAGE plpgsql AS
  $$ BEGIN CREATE TEMP TABLE scratch_rows AS SELECT 1; INSERT INTO flag_log SELECT 1 FROM scratch_rows; RETURN 1; END $$;

-- Relations of the primary, other schemas, names that need quotes.
CREATE UNLOGGED TABLE cache (id int);
CREATE TABLE tenant_a.users (id int);
CREATE TABLE "Mixed Case" (id int);
CREATE VIEW mixed_view AS SELECT * FROM "Mixed Case";

INSERT INTO users (name) SELECT 'u' || i FROM generate_series(1, 5) i;
INSERT INTO posts (user_id, title) SELECT i, 't' FROM generate_series(2, 5) i;
INSERT INTO comments (post_id) SELECT i FROM generate_series(1, 4) i;
INSERT INTO drafts (user_id) VALUES (2), (3);
INSERT INTO badges (user_id) VALUES (2), (3);
INSERT INTO counters VALUES ('notes', 0);
INSERT INTO notes (body) VALUES ('a'), ('b');
INSERT INTO events VALUES (1, 'a'), (150, 'b');
INSERT INTO keyed VALUES (1, 1);
INSERT INTO keyed_child VALUES (1);
INSERT INTO codes (base) VALUES (1);
INSERT INTO coded VALUES (2);
INSERT INTO rooms VALUES (1, 'x');
INSERT INTO orders (total) VALUES (1);
INSERT INTO ring_a VALUES (1, NULL);
INSERT INTO ring_b VALUES (1, 1);
UPDATE ring_a SET b_id = 1;
REFRESH MATERIALIZED VIEW post_counts;
`;
