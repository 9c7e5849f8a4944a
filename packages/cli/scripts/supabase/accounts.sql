BEGIN;

CREATE TEMPORARY TABLE identities (provider text, provider_id text, user_id text);
\copy identities FROM 'identities.csv' WITH (FORMAT csv, HEADER)

INSERT INTO latchkey_accounts (provider, provider_account_id, user_id, type)
SELECT
  provider,
  provider_id,
  user_id,
  CASE WHEN provider IN ('apple', 'google') THEN 'oidc' ELSE 'oauth' END
FROM identities
WHERE user_id IN (SELECT id FROM latchkey_users)
ON CONFLICT DO NOTHING;

COMMIT;
