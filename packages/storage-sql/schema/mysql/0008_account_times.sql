SET @columns = (
  SELECT COUNT(*) FROM information_schema.columns
  WHERE table_schema = DATABASE() AND table_name = 'latchkey_accounts' AND column_name = 'created_at'
);
SET @addition = IF(@columns > 0, 'DO 0', 'ALTER TABLE latchkey_accounts
  ADD COLUMN created_at BIGINT,
  ADD COLUMN last_used_at BIGINT');
PREPARE addition FROM @addition;
EXECUTE addition;
DEALLOCATE PREPARE addition;

INSERT INTO latchkey_migrations (name) VALUES ('0008_account_times') ON DUPLICATE KEY UPDATE name = name;
