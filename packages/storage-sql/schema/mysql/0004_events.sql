CREATE TABLE IF NOT EXISTS latchkey_events (
  id VARBINARY(1020) PRIMARY KEY,
  created_at BIGINT NOT NULL,
  due BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  lease MEDIUMBLOB,
  session_ids MEDIUMBLOB,
  data MEDIUMBLOB NOT NULL,
  INDEX latchkey_events_due (due),
  INDEX latchkey_events_expires (expires)
) ENGINE=InnoDB;

INSERT INTO latchkey_migrations (name) VALUES ('0004_events') ON DUPLICATE KEY UPDATE name = name;
