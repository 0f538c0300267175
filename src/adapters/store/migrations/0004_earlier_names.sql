-- The same board under the names of tables of an earlier program, for programs that read them: views, which only show. A run is a batch
-- that was handed over, a phase is a task, an execution is an attempt; a time is text in UTC.
CREATE VIEW runs AS
  SELECT b.id AS id,
    (SELECT json_extract(t.doc, '$.plan.source.plan') FROM tasks t WHERE t.batch = b.id ORDER BY t.rowid LIMIT 1) AS master_plan_path,
    strftime('%Y-%m-%dT%H:%M:%S', json_extract(b.doc, '$.go_ahead') / 1000, 'unixepoch') AS started_at,
    CASE WHEN b.run IN ('completed', 'completed_with_failures', 'aborted')
      THEN strftime('%Y-%m-%dT%H:%M:%S', json_extract(b.doc, '$.since') / 1000, 'unixepoch') END AS completed_at,
    CASE b.run WHEN 'completed' THEN 'completed' WHEN 'running' THEN 'running' WHEN 'planning' THEN 'running'
      WHEN 'paused' THEN 'paused' ELSE 'failed' END AS status,
    (SELECT coalesce(json_extract(t.doc, '$.plan.source.item'), t.id) FROM attempts a JOIN tasks t ON t.id = a.task
      WHERE t.batch = b.id ORDER BY a.id DESC LIMIT 1) AS current_phase
  FROM batches b WHERE json_extract(b.doc, '$.go_ahead') IS NOT NULL;

CREATE VIEW phase_executions AS
  SELECT a.id AS id, t.batch AS run_id, coalesce(json_extract(t.doc, '$.plan.source.item'), t.id) AS phase_id,
    row_number() OVER (PARTITION BY a.task ORDER BY a.id) AS attempt,
    CASE WHEN a.state = 'verifying' THEN 'validating' WHEN a.open = 1 THEN 'running'
      WHEN json_extract(a.doc, '$.state.settled') = 'passed' THEN 'completed'
      WHEN json_type(a.doc, '$.state.settled.blocked') IS NOT NULL THEN 'blocked' ELSE 'failed' END AS status,
    strftime('%Y-%m-%dT%H:%M:%S', a.created_at / 1000, 'unixepoch') AS started_at,
    strftime('%Y-%m-%dT%H:%M:%S', a.ended_at / 1000, 'unixepoch') AS completed_at,
    NULL AS claude_pid, NULL AS log_path,
    CASE json_type(a.doc, '$.state.settled') WHEN 'object' THEN json_extract(a.doc, '$.state.settled') END AS error_message
  FROM attempts a JOIN tasks t ON t.id = a.task;

CREATE VIEW gate_results AS
  SELECT a.id * 100 + e.key AS id, a.id AS phase_execution_id, 'gates' AS gate_name, NULL AS command,
    json_extract(e.value, '$.outcome') = 'yes' AS passed,
    coalesce(json_extract(e.value, '$.outcome.no'), json_extract(e.value, '$.outcome.unknown')) AS output,
    strftime('%Y-%m-%dT%H:%M:%S', a.ended_at / 1000, 'unixepoch') AS executed_at
  FROM attempts a, json_each(a.doc, '$.evidence') e WHERE json_extract(e.value, '$.kind') = 'gates';

CREATE VIEW completion_signals AS
  SELECT a.id * 100 + s.key AS id, t.batch AS run_id, coalesce(json_extract(t.doc, '$.plan.source.item'), t.id) AS phase_id,
    CASE json_extract(s.value, '$.kind') WHEN 'done' THEN 'completed' WHEN 'block' THEN 'blocked' ELSE 'failed' END AS status,
    json_extract(s.value, '$.text') AS reason, json_extract(s.value, '$.report') AS report,
    strftime('%Y-%m-%dT%H:%M:%S', json_extract(s.value, '$.at') / 1000, 'unixepoch') AS signaled_at
  FROM attempts a JOIN tasks t ON t.id = a.task, json_each(a.doc, '$.signals') s
  WHERE json_extract(s.value, '$.kind') IN ('done', 'block', 'fail', 'reject');

CREATE VIEW progress_log AS
  SELECT a.id * 10000 + s.key AS id, t.batch AS run_id, coalesce(json_extract(t.doc, '$.plan.source.item'), t.id) AS phase_id,
    json_extract(s.value, '$.text') AS step,
    strftime('%Y-%m-%dT%H:%M:%S', json_extract(s.value, '$.at') / 1000, 'unixepoch') AS logged_at
  FROM attempts a JOIN tasks t ON t.id = a.task, json_each(a.doc, '$.signals') s
  WHERE json_extract(s.value, '$.kind') = 'progress';

CREATE VIEW completed_features AS
  SELECT b.rowid AS id, b.title AS name,
    strftime('%Y-%m-%dT%H:%M:%S', json_extract(b.doc, '$.since') / 1000, 'unixepoch') AS completed_at,
    '[]' AS issues_json,
    (SELECT json_extract(t.doc, '$.plan.source.plan') FROM tasks t WHERE t.batch = b.id ORDER BY t.rowid LIMIT 1) AS plan_path
  FROM batches b WHERE b.run = 'completed';
