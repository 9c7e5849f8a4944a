CREATE TABLE IF NOT EXISTS latchkey_revocations (
  id TEXT PRIMARY KEY,
  revoked_at INTEGER NOT NULL,
  expires INTEGER NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS latchkey_revocations_expires ON latchkey_revocations (expires);

INSERT INTO latchkey_migrations (name) VALUES ('0002_revocations') ON CONFLICT DO NOTHING;
