CREATE INDEX IF NOT EXISTS latchkey_users_unverified_email ON latchkey_users (unverified_email);

INSERT INTO latchkey_migrations (name) VALUES ('0007_unverified_emails') ON CONFLICT DO NOTHING;
