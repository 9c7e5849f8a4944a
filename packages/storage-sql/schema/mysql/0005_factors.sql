CREATE TABLE IF NOT EXISTS latchkey_factors (
  type VARBINARY(1020) NOT NULL,
  id VARBINARY(1020) NOT NULL,
  user_id VARBINARY(1020) NOT NULL,
  name MEDIUMBLOB,
  data MEDIUMBLOB NOT NULL,
  version MEDIUMBLOB NOT NULL,
  changed_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT,
  PRIMARY KEY (type, id),
  FOREIGN KEY (user_id) REFERENCES latchkey_users (id) ON DELETE CASCADE,
  INDEX latchkey_factors_user_id (user_id)
) ENGINE=InnoDB;

INSERT INTO latchkey_migrations (name) VALUES ('0005_factors') ON DUPLICATE KEY UPDATE name = name;
