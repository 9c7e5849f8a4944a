CREATE TABLE IF NOT EXISTS latchkey_grants (
  id TEXT PRIMARY KEY,
  user_id TEXT,
  client_id TEXT NOT NULL,
  resource TEXT NOT NULL,
  scopes TEXT NOT NULL,
  authenticated_at BIGINT,
  methods TEXT NOT NULL,
  counter BIGINT NOT NULL,
  version TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  grant_key TEXT UNIQUE,
  data TEXT NOT NULL,
  FOREIGN KEY (user_id) REFERENCES latchkey_users (id) ON DELETE CASCADE
);

CREATE INDEX IF NOT EXISTS latchkey_grants_user_id ON latchkey_grants (user_id);

CREATE INDEX IF NOT EXISTS latchkey_grants_client_id ON latchkey_grants (client_id);

CREATE INDEX IF NOT EXISTS latchkey_grants_expires ON latchkey_grants (expires);

CREATE TABLE IF NOT EXISTS latchkey_clients (
  id TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires BIGINT,
  data TEXT NOT NULL
);

CREATE INDEX IF NOT EXISTS latchkey_clients_expires ON latchkey_clients (expires);

INSERT INTO latchkey_migrations (name) VALUES ('0009_grants') ON CONFLICT DO NOTHING;
