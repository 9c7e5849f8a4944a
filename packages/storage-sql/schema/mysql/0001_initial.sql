CREATE TABLE IF NOT EXISTS latchkey_migrations (
  name VARBINARY(1020) PRIMARY KEY
) ENGINE=InnoDB;

CREATE TABLE IF NOT EXISTS latchkey_users (
  id VARBINARY(1020) PRIMARY KEY,
  name MEDIUMBLOB,
  email VARBINARY(1020) UNIQUE,
  email_verified BIGINT NOT NULL,
  image MEDIUMBLOB
) ENGINE=InnoDB;

CREATE TABLE IF NOT EXISTS latchkey_accounts (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  user_id VARBINARY(1020) NOT NULL,
  provider VARBINARY(1020) NOT NULL,
  provider_account_id VARBINARY(1020) NOT NULL,
  type MEDIUMBLOB NOT NULL,
  access_token MEDIUMBLOB,
  refresh_token MEDIUMBLOB,
  id_token MEDIUMBLOB,
  token_type MEDIUMBLOB,
  scope MEDIUMBLOB,
  expires_at BIGINT,
  UNIQUE (provider, provider_account_id),
  FOREIGN KEY (user_id) REFERENCES latchkey_users (id) ON DELETE CASCADE,
  INDEX latchkey_accounts_user_id (user_id)
) ENGINE=InnoDB;

CREATE TABLE IF NOT EXISTS latchkey_sessions (
  id VARBINARY(1020) PRIMARY KEY,
  user_id VARBINARY(1020) NOT NULL,
  created_at BIGINT NOT NULL,
  renewed_at BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  data MEDIUMBLOB NOT NULL,
  FOREIGN KEY (user_id) REFERENCES latchkey_users (id) ON DELETE CASCADE,
  INDEX latchkey_sessions_user_id (user_id),
  INDEX latchkey_sessions_expires (expires)
) ENGINE=InnoDB;

CREATE TABLE IF NOT EXISTS latchkey_verification_tokens (
  identifier VARBINARY(1020) NOT NULL,
  token VARBINARY(1020) NOT NULL,
  expires BIGINT NOT NULL,
  PRIMARY KEY (identifier, token),
  INDEX latchkey_verification_tokens_expires (expires)
) ENGINE=InnoDB;

CREATE TABLE IF NOT EXISTS latchkey_counters (
  id VARBINARY(1020) PRIMARY KEY,
  hits BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  INDEX latchkey_counters_expires (expires)
) ENGINE=InnoDB;

INSERT INTO latchkey_migrations (name) VALUES ('0001_initial') ON DUPLICATE KEY UPDATE name = name;
