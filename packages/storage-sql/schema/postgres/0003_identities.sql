ALTER TABLE latchkey_users
  ADD COLUMN IF NOT EXISTS unverified_email TEXT;

ALTER TABLE latchkey_sessions
  ADD COLUMN IF NOT EXISTS provider TEXT;

ALTER TABLE latchkey_sessions
  ADD COLUMN IF NOT EXISTS provider_account_id TEXT;

ALTER TABLE latchkey_sessions
  ADD COLUMN IF NOT EXISTS sid TEXT;

UPDATE latchkey_users SET unverified_email = email, email = NULL WHERE email_verified = 0 AND email IS NOT NULL;

CREATE INDEX IF NOT EXISTS latchkey_sessions_account ON latchkey_sessions (provider, provider_account_id);

CREATE INDEX IF NOT EXISTS latchkey_sessions_sid ON latchkey_sessions (provider, sid);

INSERT INTO latchkey_migrations (name) VALUES ('0003_identities') ON CONFLICT DO NOTHING;
