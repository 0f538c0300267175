-- A checksum for each row, over all its other columns in the order of the statements that write them: a flipped bit in a value is no
-- damage to SQLite. Rows of before have none; `summed_from` is the first event whose rows must have one.
ALTER TABLE about ADD COLUMN summed_from INTEGER NOT NULL DEFAULT 1;
UPDATE about SET summed_from = (SELECT coalesce(max(seq), 0) + 1 FROM events);
ALTER TABLE board ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE board ADD COLUMN sum INTEGER;
ALTER TABLE events ADD COLUMN sum INTEGER;
ALTER TABLE notices ADD COLUMN sum INTEGER;
ALTER TABLE batches ADD COLUMN sum INTEGER;
ALTER TABLE tasks ADD COLUMN sum INTEGER;
ALTER TABLE attempts ADD COLUMN sum INTEGER;
ALTER TABLE intents ADD COLUMN sum INTEGER;
