-- Settings and workflows are written down only when they change, so the last ones may be far back in the log.
CREATE INDEX IF NOT EXISTS in_force ON events (kind, seq) WHERE kind IN ('configured', 'workflows_loaded');
