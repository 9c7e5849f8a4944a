CREATE TABLE IF NOT EXISTS latchkey_migrations (
  name TEXT PRIMARY KEY
) STRICT;

CREATE TABLE IF NOT EXISTS latchkey_users (
  id TEXT PRIMARY KEY,
  name TEXT,
  email TEXT UNIQUE,
  email_verified INTEGER NOT NULL,
  image TEXT
) STRICT;

CREATE TABLE IF NOT EXISTS latchkey_accounts (
  id INTEGER PRIMARY KEY,
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  provider_account_id TEXT NOT NULL,
  type TEXT NOT NULL,
  access_token TEXT,
  refresh_token TEXT,
  id_token TEXT,
  token_type TEXT,
  scope TEXT,
  expires_at INTEGER,
  UNIQUE (provider, provider_account_id),
  FOREIGN KEY (user_id) REFERENCES latchkey_users (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX IF NOT EXISTS latchkey_accounts_user_id ON latchkey_accounts (user_id);

CREATE TABLE IF NOT EXISTS latchkey_sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  renewed_at INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  data TEXT NOT NULL,
  FOREIGN KEY (user_id) REFERENCES latchkey_users (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX IF NOT EXISTS latchkey_sessions_user_id ON latchkey_sessions (user_id);

CREATE INDEX IF NOT EXISTS latchkey_sessions_expires ON latchkey_sessions (expires);

CREATE TABLE IF NOT EXISTS latchkey_verification_tokens (
  identifier TEXT NOT NULL,
  token TEXT NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (identifier, token)
) STRICT;

CREATE INDEX IF NOT EXISTS latchkey_verification_tokens_expires ON latchkey_verification_tokens (expires);

CREATE TABLE IF NOT EXISTS latchkey_counters (
  id TEXT PRIMARY KEY,
  hits INTEGER NOT NULL,
  expires INTEGER NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS latchkey_counters_expires ON latchkey_counters (expires);

INSERT INTO latchkey_migrations (name) VALUES ('0001_initial') ON CONFLICT DO NOTHING;
