CREATE TABLE IF NOT EXISTS latchkey_revocations (
  id VARBINARY(1020) PRIMARY KEY,
  revoked_at BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  INDEX latchkey_revocations_expires (expires)
) ENGINE=InnoDB;

INSERT INTO latchkey_migrations (name) VALUES ('0002_revocations') ON DUPLICATE KEY UPDATE name = name;
