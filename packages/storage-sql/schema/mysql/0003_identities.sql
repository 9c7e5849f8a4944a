SET @columns = (
  SELECT COUNT(*) FROM information_schema.columns
  WHERE table_schema = DATABASE() AND table_name = 'latchkey_users' AND column_name = 'unverified_email'
);
SET @addition = IF(@columns > 0, 'DO 0', 'ALTER TABLE latchkey_users
  ADD COLUMN unverified_email MEDIUMBLOB');
PREPARE addition FROM @addition;
EXECUTE addition;
DEALLOCATE PREPARE addition;

SET @columns = (
  SELECT COUNT(*) FROM information_schema.columns
  WHERE table_schema = DATABASE() AND table_name = 'latchkey_sessions' AND column_name = 'provider'
);
SET @addition = IF(@columns > 0, 'DO 0', 'ALTER TABLE latchkey_sessions
  ADD COLUMN provider VARBINARY(1020),
  ADD COLUMN provider_account_id VARBINARY(1020),
  ADD COLUMN sid VARBINARY(1020),
  ADD INDEX latchkey_sessions_account (provider, provider_account_id),
  ADD INDEX latchkey_sessions_sid (provider, sid)');
PREPARE addition FROM @addition;
EXECUTE addition;
DEALLOCATE PREPARE addition;

UPDATE latchkey_users SET unverified_email = email, email = NULL WHERE email_verified = 0 AND email IS NOT NULL;

INSERT INTO latchkey_migrations (name) VALUES ('0003_identities') ON DUPLICATE KEY UPDATE name = name;
