ALTER TABLE latchkey_accounts
  ADD COLUMN IF NOT EXISTS created_at BIGINT;

ALTER TABLE latchkey_accounts
  ADD COLUMN IF NOT EXISTS last_used_at BIGINT;

INSERT INTO latchkey_migrations (name) VALUES ('0008_account_times') ON CONFLICT DO NOTHING;
