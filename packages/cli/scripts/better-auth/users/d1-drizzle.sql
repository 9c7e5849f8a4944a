INSERT INTO latchkey_users (
  id, name, email, email_verified, unverified_email, image,
  role, credits, newsletter, trialEndsAt -- fields
)
SELECT
  id,
  name,
  CASE WHEN email_verified THEN lower(email) END,
  CASE WHEN email_verified THEN 1 ELSE 0 END,
  CASE WHEN email_verified THEN NULL ELSE lower(email) END,
  image,
  role, credits, newsletter, trial_ends_at -- fields
FROM user;

INSERT INTO latchkey_accounts (
  provider, provider_account_id, user_id, type,
  access_token, refresh_token, id_token, token_type, scope, expires_at
)
SELECT
  provider_id,
  account_id,
  user_id,
  CASE WHEN provider_id IN ('apple', 'google') THEN 'oidc' ELSE 'oauth' END,
  access_token,
  refresh_token,
  id_token,
  CASE WHEN access_token IS NOT NULL THEN 'bearer' END,
  replace(scope, ',', ' '),
  access_token_expires_at / 1000
FROM account
WHERE provider_id <> 'credential';
