CREATE TABLE IF NOT EXISTS latchkey_events (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  due INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  lease TEXT,
  session_ids TEXT,
  data TEXT NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS latchkey_events_due ON latchkey_events (due);

CREATE INDEX IF NOT EXISTS latchkey_events_expires ON latchkey_events (expires);

INSERT INTO latchkey_migrations (name) VALUES ('0004_events') ON CONFLICT DO NOTHING;
