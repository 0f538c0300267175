-- The first format. Rows are the truth, `doc` columns hold the whole value as JSON, other columns exist for filters.
-- Events and notices are append-only. What leaves the board keeps its row and gets `gone_at`.

CREATE TABLE about (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  min_reader INTEGER NOT NULL -- the oldest format whose readers may still read this file
) STRICT;
INSERT INTO about (one, min_reader) VALUES (1, 1);

CREATE TABLE board (
  one            INTEGER PRIMARY KEY CHECK (one = 1),
  pause          TEXT,
  last_attempt   INTEGER NOT NULL,
  infra_failures INTEGER NOT NULL
) STRICT;
INSERT INTO board (one, pause, last_attempt, infra_failures) VALUES (1, NULL, 0, 0);

CREATE TABLE events (
  seq     INTEGER PRIMARY KEY,
  session INTEGER NOT NULL, -- which opening of the store; settings and workflows are read anew in each
  at      INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  task    TEXT,
  attempt INTEGER,
  doc     TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_attempt ON events (attempt, seq) WHERE attempt IS NOT NULL;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_last BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;

-- Which tasks an event names, changes or tells of.
CREATE TABLE mentions (
  task TEXT NOT NULL,
  seq  INTEGER NOT NULL REFERENCES events (seq),
  PRIMARY KEY (task, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE notices (
  seq     INTEGER NOT NULL REFERENCES events (seq),
  n       INTEGER NOT NULL,
  level   TEXT NOT NULL,
  kind    TEXT NOT NULL,
  task    TEXT,
  attempt INTEGER,
  doc     TEXT NOT NULL,
  PRIMARY KEY (seq, n)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER notices_stay BEFORE UPDATE ON notices BEGIN SELECT RAISE(ABORT, 'notices are append-only'); END;
CREATE TRIGGER notices_last BEFORE DELETE ON notices BEGIN SELECT RAISE(ABORT, 'notices are append-only'); END;

CREATE TABLE batches (
  id      TEXT PRIMARY KEY,
  title   TEXT NOT NULL,
  run     TEXT NOT NULL,
  seq     INTEGER NOT NULL, -- the event that changed it last
  gone_at INTEGER,
  doc     TEXT NOT NULL
) STRICT;

CREATE TABLE tasks (
  id       TEXT PRIMARY KEY,
  batch    TEXT NOT NULL REFERENCES batches (id) DEFERRABLE INITIALLY DEFERRED,
  workflow TEXT NOT NULL,
  stage    TEXT NOT NULL,
  state    TEXT NOT NULL,
  priority INTEGER NOT NULL,
  title    TEXT NOT NULL,
  since    INTEGER NOT NULL,
  seq      INTEGER NOT NULL,
  gone_at  INTEGER,
  doc      TEXT NOT NULL
) STRICT;
CREATE INDEX tasks_by_state ON tasks (state, stage);
CREATE INDEX tasks_by_batch ON tasks (batch);

CREATE TABLE attempts (
  id         INTEGER PRIMARY KEY,
  task       TEXT NOT NULL REFERENCES tasks (id) DEFERRABLE INITIALLY DEFERRED,
  stage      TEXT NOT NULL,
  state      TEXT NOT NULL,
  open       INTEGER NOT NULL CHECK (open IN (0, 1)),
  created_at INTEGER NOT NULL,
  ended_at   INTEGER,
  seq        INTEGER NOT NULL,
  gone_at    INTEGER,
  doc        TEXT NOT NULL
) STRICT;
CREATE INDEX attempts_by_task ON attempts (task, id);
CREATE UNIQUE INDEX one_open_attempt ON attempts (task) WHERE open = 1;

CREATE TABLE intents (
  key        TEXT PRIMARY KEY,
  seq        INTEGER NOT NULL, -- the event that asked for it last
  n          INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  done_at    INTEGER,
  done_seq   INTEGER,
  doc        TEXT NOT NULL
) STRICT;
CREATE INDEX open_intents ON intents (seq, n) WHERE done_at IS NULL;
