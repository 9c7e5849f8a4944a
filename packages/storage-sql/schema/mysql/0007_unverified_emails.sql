SET @indexes = (
  SELECT COUNT(*) FROM information_schema.statistics
  WHERE table_schema = DATABASE() AND table_name = 'latchkey_users' AND index_name = 'latchkey_users_unverified_email'
);
SET @addition = IF(@indexes > 0, 'DO 0', 'ALTER TABLE latchkey_users ADD INDEX latchkey_users_unverified_email (unverified_email(254))');
PREPARE addition FROM @addition;
EXECUTE addition;
DEALLOCATE PREPARE addition;

INSERT INTO latchkey_migrations (name) VALUES ('0007_unverified_emails') ON DUPLICATE KEY UPDATE name = name;
