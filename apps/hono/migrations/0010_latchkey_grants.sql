CREATE TABLE IF NOT EXISTS latchkey_grants (
  id TEXT PRIMARY KEY,
  user_id TEXT,
  client_id TEXT NOT NULL,
  resource TEXT NOT NULL,
  scopes TEXT NOT NULL,
  authenticated_at INTEGER,
  methods TEXT NOT NULL,
  counter INTEGER NOT NULL,
  version TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  grant_key TEXT UNIQUE,
  data TEXT NOT NULL,
  FOREIGN KEY (user_id) REFERENCES latchkey_users (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX IF NOT EXISTS latchkey_grants_user_id ON latchkey_grants (user_id);

CREATE INDEX IF NOT EXISTS latchkey_grants_client_id ON latchkey_grants (client_id);

CREATE INDEX IF NOT EXISTS latchkey_grants_expires ON latchkey_grants (expires);

CREATE TABLE IF NOT EXISTS latchkey_clients (
  id TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires INTEGER,
  data TEXT NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS latchkey_clients_expires ON latchkey_clients (expires);

INSERT INTO latchkey_migrations (name) VALUES ('0009_grants') ON CONFLICT DO NOTHING;
