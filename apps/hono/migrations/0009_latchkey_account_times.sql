ALTER TABLE latchkey_accounts
  ADD COLUMN created_at INTEGER;

ALTER TABLE latchkey_accounts
  ADD COLUMN last_used_at INTEGER;

INSERT INTO latchkey_migrations (name) VALUES ('0008_account_times') ON CONFLICT DO NOTHING;
