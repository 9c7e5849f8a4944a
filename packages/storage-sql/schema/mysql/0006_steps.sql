CREATE TABLE IF NOT EXISTS latchkey_steps (
  id VARBINARY(1020) PRIMARY KEY,
  data MEDIUMBLOB NOT NULL,
  expires BIGINT NOT NULL,
  INDEX latchkey_steps_expires (expires)
) ENGINE=InnoDB;

INSERT INTO latchkey_migrations (name) VALUES ('0006_steps') ON DUPLICATE KEY UPDATE name = name;
