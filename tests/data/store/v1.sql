PRAGMA application_id = 1684173569;
PRAGMA user_version = 1;
CREATE TABLE about (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  min_reader INTEGER NOT NULL -- the oldest format whose readers may still read this file
) STRICT;
CREATE TABLE board (
  one            INTEGER PRIMARY KEY CHECK (one = 1),
  pause          TEXT,
  last_attempt   INTEGER NOT NULL,
  infra_failures INTEGER NOT NULL
) STRICT;
CREATE TABLE events (
  seq     INTEGER PRIMARY KEY,
  session INTEGER NOT NULL, -- which opening of the store; settings and workflows are read anew in each
  at      INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  task    TEXT,
  attempt INTEGER,
  doc     TEXT NOT NULL
) STRICT;
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
CREATE TABLE intents (
  key        TEXT PRIMARY KEY,
  seq        INTEGER NOT NULL, -- the event that asked for it last
  n          INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  done_at    INTEGER,
  done_seq   INTEGER,
  doc        TEXT NOT NULL
) STRICT;
INSERT INTO about VALUES (1, 1);
INSERT INTO board VALUES (1, NULL, 0, 0);
INSERT INTO batches VALUES ('invoices', 'Invoices', 'running', 1, NULL, '{"id":"invoices","title":"Invoices","goal":"","base":null,"go_ahead":null,"run":"running","since":5}');
INSERT INTO tasks VALUES ('a', 'invoices', 'kanban', 'development', 'released', 1, 'Title of a', 6, 1, NULL, '{"id":"a","batch":"invoices","workflow":"kanban","title":"Title of a","body":"naïve ⟂ \u0000 text","kind":"bug","tags":["security"],"priority":1,"deps":[],"gates":[{"name":"unit","command":"make test"}],"stage":"development","state":"released","open_attempt":null,"next_mode":"fresh","needs_approval":false,"approved":null,"not_before":null,"failures":{"development":{"crash":2}},"rejections":0,"spawns":0,"tries":{},"head":null,"merged":null,"why_not":null,"comments":[],"finding":null,"created_at":5,"since":6}');
INSERT INTO tasks VALUES ('b', 'invoices', 'kanban', 'development', 'held', 1, 'Title of b', 6, 1, NULL, '{"id":"b","batch":"invoices","workflow":"kanban","title":"Title of b","body":"naïve ⟂ \u0000 text","kind":"bug","tags":["security"],"priority":1,"deps":[],"gates":[{"name":"unit","command":"make test"}],"stage":"development","state":{"held":{"blocked":"why"}},"open_attempt":null,"next_mode":"fresh","needs_approval":false,"approved":null,"not_before":null,"failures":{"development":{"crash":2}},"rejections":0,"spawns":0,"tries":{},"head":null,"merged":null,"why_not":null,"comments":[],"finding":null,"created_at":5,"since":6}');
INSERT INTO tasks VALUES ('c', 'invoices', 'kanban', 'development', 'parked', 1, 'Title of c', 6, 1, NULL, '{"id":"c","batch":"invoices","workflow":"kanban","title":"Title of c","body":"naïve ⟂ \u0000 text","kind":"bug","tags":["security"],"priority":1,"deps":[],"gates":[{"name":"unit","command":"make test"}],"stage":"development","state":{"parked":"later"},"open_attempt":null,"next_mode":"fresh","needs_approval":false,"approved":null,"not_before":null,"failures":{"development":{"crash":2}},"rejections":0,"spawns":0,"tries":{},"head":null,"merged":null,"why_not":null,"comments":[],"finding":null,"created_at":5,"since":6}');
INSERT INTO tasks VALUES ('d', 'invoices', 'kanban', 'development', 'skipped', 1, 'Title of d', 6, 1, NULL, '{"id":"d","batch":"invoices","workflow":"kanban","title":"Title of d","body":"naïve ⟂ \u0000 text","kind":"bug","tags":["security"],"priority":1,"deps":[],"gates":[{"name":"unit","command":"make test"}],"stage":"development","state":{"skipped":"a"},"open_attempt":null,"next_mode":"fresh","needs_approval":false,"approved":null,"not_before":null,"failures":{"development":{"crash":2}},"rejections":0,"spawns":0,"tries":{},"head":null,"merged":null,"why_not":null,"comments":[],"finding":null,"created_at":5,"since":6}');
INSERT INTO attempts VALUES (1, 'a', 'development', 'settled', 0, 7, NULL, 1, NULL, '{"id":1,"task":"a","stage":"development","n":1,"mode":"fresh","worker":{"agent":{"role":"developer","name":"developer-ravel"}},"state":{"settled":{"failed":["crash","gone"]}},"signals":[],"refused":[],"workplace":null,"activity":{"doing":"starting","source":"started","since":7},"evidence":[],"checks":0,"created_at":7,"started_at":null,"deadline":9,"ended_at":null,"workspace":"none"}');
INSERT INTO attempts VALUES (2, 'b', 'development', 'running', 1, 7, NULL, 1, NULL, '{"id":2,"task":"b","stage":"development","n":1,"mode":"fresh","worker":{"agent":{"role":"developer","name":"developer-ravel"}},"state":"running","signals":[],"refused":[],"workplace":null,"activity":{"doing":"starting","source":"started","since":7},"evidence":[],"checks":0,"created_at":7,"started_at":null,"deadline":9,"ended_at":null,"workspace":"none"}');
INSERT INTO attempts VALUES (3, 'c', 'development', 'stopping', 1, 7, NULL, 1, NULL, '{"id":3,"task":"c","stage":"development","n":1,"mode":"fresh","worker":{"agent":{"role":"developer","name":"developer-ravel"}},"state":{"stopping":"timeout"},"signals":[],"refused":[],"workplace":null,"activity":{"doing":"starting","source":"started","since":7},"evidence":[],"checks":0,"created_at":7,"started_at":null,"deadline":9,"ended_at":null,"workspace":"none"}');
INSERT INTO attempts VALUES (4, 'd', 'development', 'settled', 0, 7, NULL, 1, NULL, '{"id":4,"task":"d","stage":"development","n":1,"mode":"fresh","worker":{"agent":{"role":"developer","name":"developer-ravel"}},"state":{"settled":{"stopped":"killed"}},"signals":[],"refused":[],"workplace":null,"activity":{"doing":"starting","source":"started","since":7},"evidence":[],"checks":0,"created_at":7,"started_at":null,"deadline":9,"ended_at":null,"workspace":"none"}');
INSERT INTO events VALUES (1, 1, 1767323045678, 'ticked', NULL, NULL, '"ticked"');
INSERT INTO events VALUES (10, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"close":["a","no"]}}}');
INSERT INTO events VALUES (11, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"retry":{"task":"a","stage":"review","note":null}}}}');
INSERT INTO events VALUES (12, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"approve":"a"}}}');
INSERT INTO events VALUES (13, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"reject":["a","why"]}}}');
INSERT INTO events VALUES (14, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"skip":"a"}}}');
INSERT INTO events VALUES (15, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"answer":["a","yes"]}}}');
INSERT INTO events VALUES (16, 1, 1767323045678, 'asked', NULL, 7, '{"asked":{"request":3,"by":"ann","command":{"kill":7}}}');
INSERT INTO events VALUES (17, 1, 1767323045678, 'asked', NULL, NULL, '{"asked":{"request":3,"by":"ann","command":"pause"}}');
INSERT INTO events VALUES (18, 1, 1767323045678, 'asked', NULL, NULL, '{"asked":{"request":3,"by":"ann","command":"resume"}}');
INSERT INTO events VALUES (19, 1, 1767323045678, 'configured', NULL, NULL, '{"configured":{"max_agents":3,"max_by_role":{"developer":2},"max_starts":1,"agent_timeout":60000,"linger":5,"base":"main","gates":[{"name":"unit","command":"make"}],"infra_backoff":1,"crash_backoff":2,"cooldown":3}}');
INSERT INTO events VALUES (2, 1, 1767323045678, 'asked', NULL, NULL, '{"asked":{"request":3,"by":"ann","command":{"put_batch":{"id":"b","title":"B","goal":"g","base":"main"}}}}');
INSERT INTO events VALUES (20, 1, 1767323045678, 'workflows_loaded', NULL, NULL, '{"workflows_loaded":[]}');
INSERT INTO events VALUES (21, 1, 1767323045678, 'attempt_started', NULL, 7, '{"attempt_started":{"attempt":7,"workplace":{"path":"w","branch":"b","start":"c","start_tree":"t"}}}');
INSERT INTO events VALUES (22, 1, 1767323045678, 'attempt_not_started', NULL, 7, '{"attempt_not_started":{"attempt":7,"why":"no"}}');
INSERT INTO events VALUES (23, 1, 1767323045678, 'signalled', NULL, 7, '{"signalled":{"attempt":7,"kind":"done","text":"t","key":"k"}}');
INSERT INTO events VALUES (24, 1, 1767323045678, 'observed', NULL, 7, '{"observed":{"attempt":7,"doing":{"permission":"rm"},"source":"hook"}}');
INSERT INTO events VALUES (25, 1, 1767323045678, 'observed', NULL, 7, '{"observed":{"attempt":7,"doing":"working","source":"title"}}');
INSERT INTO events VALUES (26, 1, 1767323045678, 'attempt_ended', NULL, 7, '{"attempt_ended":{"attempt":7,"exit":{"code":1},"tail":"t","cause":{"quota":{"until":5,"why":"w"}}}}');
INSERT INTO events VALUES (27, 1, 1767323045678, 'attempt_ended', NULL, 7, '{"attempt_ended":{"attempt":7,"exit":{"signal":9},"tail":"","cause":{"infra":"login"}}}');
INSERT INTO events VALUES (28, 1, 1767323045678, 'attempt_ended', NULL, 7, '{"attempt_ended":{"attempt":7,"exit":"vanished","tail":"","cause":null}}');
INSERT INTO events VALUES (29, 1, 1767323045678, 'action_ended', NULL, 7, '{"action_ended":{"attempt":7,"outcome":{"done":{"commit":"c","evidence":[{"kind":"gates","outcome":"yes"}]}}}}');
INSERT INTO events VALUES (3, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"create":{"id":"a","batch":"b","workflow":"kanban","stage":null,"title":"A","body":"","kind":"bug","tags":["security"],"priority":1,"deps":[],"gates":[{"name":"unit","command":"make"}],"needs_approval":true}}}}');
INSERT INTO events VALUES (30, 1, 1767323045678, 'action_ended', NULL, 7, '{"action_ended":{"attempt":7,"outcome":{"failed":"conflict"}}}');
INSERT INTO events VALUES (31, 1, 1767323045678, 'action_ended', NULL, 7, '{"action_ended":{"attempt":7,"outcome":{"issues":[{"severity":"critical","text":"t"}]}}}');
INSERT INTO events VALUES (32, 1, 1767323045678, 'action_ended', NULL, 7, '{"action_ended":{"attempt":7,"outcome":{"unknown":"offline"}}}');
INSERT INTO events VALUES (33, 1, 1767323045678, 'verified', NULL, 7, '{"verified":{"attempt":7,"evidence":[{"kind":"commits_ahead","outcome":{"no":"none"}}],"head":"h"}}');
INSERT INTO events VALUES (34, 1, 1767323045678, 'workspace_settled', NULL, 7, '{"workspace_settled":{"attempt":7,"problem":"busy"}}');
INSERT INTO events VALUES (35, 1, 1767323045678, 'performed', NULL, NULL, '{"performed":{"key":"retire/a","problem":null}}');
INSERT INTO events VALUES (36, 1, 1767323045678, 'woke', NULL, NULL, '{"woke":{"running":[7],"ended":{"8":[{"code":0},"tail"]},"unknown":[9]}}');
INSERT INTO events VALUES (37, 1, 1767323045678, 'ticked', NULL, NULL, '"ticked"');
INSERT INTO events VALUES (4, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"update":["a",{"title":"T","body":null,"priority":3,"add_tags":["x"],"remove_tags":[],"stage":"review"}]}}}');
INSERT INTO events VALUES (5, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"comment":["a","text"]}}}');
INSERT INTO events VALUES (6, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"add_dependency":["a","c"]}}}');
INSERT INTO events VALUES (7, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"remove_dependency":["a","c"]}}}');
INSERT INTO events VALUES (8, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"release":["a","c"]}}}');
INSERT INTO events VALUES (9, 1, 1767323045678, 'asked', 'a', NULL, '{"asked":{"request":3,"by":"ann","command":{"park":["a","later"]}}}');
INSERT INTO mentions VALUES ('a', 1);
INSERT INTO mentions VALUES ('a', 10);
INSERT INTO mentions VALUES ('a', 11);
INSERT INTO mentions VALUES ('a', 12);
INSERT INTO mentions VALUES ('a', 13);
INSERT INTO mentions VALUES ('a', 14);
INSERT INTO mentions VALUES ('a', 15);
INSERT INTO mentions VALUES ('a', 3);
INSERT INTO mentions VALUES ('a', 4);
INSERT INTO mentions VALUES ('a', 5);
INSERT INTO mentions VALUES ('a', 6);
INSERT INTO mentions VALUES ('a', 7);
INSERT INTO mentions VALUES ('a', 8);
INSERT INTO mentions VALUES ('a', 9);
INSERT INTO mentions VALUES ('b', 1);
INSERT INTO mentions VALUES ('c', 1);
INSERT INTO mentions VALUES ('c', 6);
INSERT INTO mentions VALUES ('c', 7);
INSERT INTO mentions VALUES ('c', 8);
INSERT INTO mentions VALUES ('d', 1);
INSERT INTO notices VALUES (1, 1, 'info', 'spawn', 'a', NULL, '{"level":"info","kind":"spawn","task":"a","attempt":null,"text":"said"}');
INSERT INTO intents VALUES ('retire/d', 1, 3, 1767323045678, NULL, NULL, '{"retire":"d"}');
INSERT INTO intents VALUES ('settle/4', 1, 2, 1767323045678, NULL, NULL, '{"settle":4}');
INSERT INTO intents VALUES ('start/2', 1, 1, 1767323045678, NULL, NULL, '{"start":2}');
CREATE INDEX events_by_attempt ON events (attempt, seq) WHERE attempt IS NOT NULL;
CREATE INDEX tasks_by_state ON tasks (state, stage);
CREATE INDEX tasks_by_batch ON tasks (batch);
CREATE INDEX attempts_by_task ON attempts (task, id);
CREATE UNIQUE INDEX one_open_attempt ON attempts (task) WHERE open = 1;
CREATE INDEX open_intents ON intents (seq, n) WHERE done_at IS NULL;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_last BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER notices_stay BEFORE UPDATE ON notices BEGIN SELECT RAISE(ABORT, 'notices are append-only'); END;
CREATE TRIGGER notices_last BEFORE DELETE ON notices BEGIN SELECT RAISE(ABORT, 'notices are append-only'); END;
