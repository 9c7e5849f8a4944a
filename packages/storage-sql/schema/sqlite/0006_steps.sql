CREATE TABLE IF NOT EXISTS latchkey_steps (
  id TEXT PRIMARY KEY,
  data TEXT NOT NULL,
  expires INTEGER NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS latchkey_steps_expires ON latchkey_steps (expires);

INSERT INTO latchkey_migrations (name) VALUES ('0006_steps') ON CONFLICT DO NOTHING;
