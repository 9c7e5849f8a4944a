CREATE TABLE IF NOT EXISTS latchkey_grants (
  id VARBINARY(1020) PRIMARY KEY,
  user_id VARBINARY(1020),
  client_id VARBINARY(1020) NOT NULL,
  resource MEDIUMBLOB NOT NULL,
  scopes MEDIUMBLOB NOT NULL,
  authenticated_at BIGINT,
  methods MEDIUMBLOB NOT NULL,
  counter BIGINT NOT NULL,
  version MEDIUMBLOB NOT NULL,
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  grant_key VARBINARY(1020) UNIQUE,
  data MEDIUMBLOB NOT NULL,
  FOREIGN KEY (user_id) REFERENCES latchkey_users (id) ON DELETE CASCADE,
  INDEX latchkey_grants_user_id (user_id),
  INDEX latchkey_grants_client_id (client_id),
  INDEX latchkey_grants_expires (expires)
) ENGINE=InnoDB;

CREATE TABLE IF NOT EXISTS latchkey_clients (
  id VARBINARY(1020) PRIMARY KEY,
  version MEDIUMBLOB NOT NULL,
  created_at BIGINT NOT NULL,
  expires BIGINT,
  data MEDIUMBLOB NOT NULL,
  INDEX latchkey_clients_expires (expires)
) ENGINE=InnoDB;

INSERT INTO latchkey_migrations (name) VALUES ('0009_grants') ON DUPLICATE KEY UPDATE name = name;
