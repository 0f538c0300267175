-- The views of 0004 with the executions of agents alone, each with its folder of logs beside this database, and with one row for each gate of
-- a phase and its command. A phase whose gates are all those of the project has one row for them.
DROP VIEW phase_executions;
CREATE VIEW phase_executions AS
  SELECT a.id AS id, t.batch AS run_id, coalesce(json_extract(t.doc, '$.plan.source.item'), t.id) AS phase_id,
    row_number() OVER (PARTITION BY a.task ORDER BY a.id) AS attempt,
    CASE WHEN a.state = 'verifying' THEN 'validating' WHEN a.open = 1 THEN 'running'
      WHEN json_extract(a.doc, '$.state.settled') = 'passed' THEN 'completed'
      WHEN json_type(a.doc, '$.state.settled.blocked') IS NOT NULL THEN 'blocked' ELSE 'failed' END AS status,
    strftime('%Y-%m-%dT%H:%M:%S', a.created_at / 1000, 'unixepoch') AS started_at,
    strftime('%Y-%m-%dT%H:%M:%S', a.ended_at / 1000, 'unixepoch') AS completed_at,
    NULL AS claude_pid, 'attempts/' || a.id AS log_path,
    CASE json_type(a.doc, '$.state.settled') WHEN 'object' THEN json_extract(a.doc, '$.state.settled') END AS error_message
  FROM attempts a JOIN tasks t ON t.id = a.task WHERE json_type(a.doc, '$.worker.agent') IS NOT NULL;

DROP VIEW gate_results;
CREATE VIEW gate_results AS
  SELECT a.id * 10000 + e.key * 100 + coalesce(g.key, 0) AS id, a.id AS phase_execution_id,
    coalesce(json_extract(g.value, '$.name'), 'gates') AS gate_name, coalesce(json_extract(g.value, '$.command'), '') AS command,
    CASE WHEN json_extract(e.value, '$.outcome') = 'yes' THEN 1
      WHEN g.key IS NULL OR json_type(e.value, '$.issues') IS NULL THEN 0
      ELSE NOT EXISTS (SELECT 1 FROM json_each(e.value, '$.issues') i
        WHERE instr(json_extract(i.value, '$.text'), 'gate ' || json_extract(g.value, '$.name') || ' failed') = 1) END AS passed,
    coalesce((SELECT json_extract(i.value, '$.text') FROM json_each(e.value, '$.issues') i
        WHERE instr(json_extract(i.value, '$.text'), 'gate ' || json_extract(g.value, '$.name') || ' failed') = 1),
      CASE WHEN json_type(e.value, '$.issues') IS NULL THEN
        coalesce(json_extract(e.value, '$.outcome.no'), json_extract(e.value, '$.outcome.unknown')) END) AS output,
    strftime('%Y-%m-%dT%H:%M:%S', a.ended_at / 1000, 'unixepoch') AS executed_at
  FROM attempts a JOIN tasks t ON t.id = a.task, json_each(a.doc, '$.evidence') e
    LEFT JOIN json_each(t.doc, '$.gates') g
  WHERE json_extract(e.value, '$.kind') = 'gates' AND json_type(a.doc, '$.worker.agent') IS NOT NULL;
