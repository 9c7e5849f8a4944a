CREATE TABLE IF NOT EXISTS latchkey_factors (
  type TEXT NOT NULL,
  id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  name TEXT,
  data TEXT NOT NULL,
  version TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  PRIMARY KEY (type, id),
  FOREIGN KEY (user_id) REFERENCES latchkey_users (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX IF NOT EXISTS latchkey_factors_user_id ON latchkey_factors (user_id);

INSERT INTO latchkey_migrations (name) VALUES ('0005_factors') ON CONFLICT DO NOTHING;
