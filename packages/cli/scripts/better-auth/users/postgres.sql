BEGIN;

INSERT INTO latchkey_users (
  id, name, email, email_verified, unverified_email, image,
  role, credits, newsletter, "trialEndsAt" -- fields
)
SELECT
  id,
  name,
  CASE WHEN "emailVerified" THEN lower(email) END,
  "emailVerified"::int,
  CASE WHEN NOT "emailVerified" THEN lower(email) END,
  image,
  role, credits, newsletter::int, floor(extract(epoch FROM "trialEndsAt") * 1000)::bigint -- fields
FROM "user";

INSERT INTO latchkey_accounts (
  provider, provider_account_id, user_id, type,
  access_token, refresh_token, id_token, token_type, scope, expires_at
)
SELECT
  "providerId",
  "accountId",
  "userId",
  CASE WHEN "providerId" IN ('apple', 'google') THEN 'oidc' ELSE 'oauth' END,
  "accessToken",
  "refreshToken",
  "idToken",
  CASE WHEN "accessToken" IS NOT NULL THEN 'bearer' END,
  replace(scope, ',', ' '),
  floor(extract(epoch FROM "accessTokenExpiresAt"))::bigint
FROM account
WHERE "providerId" <> 'credential';

COMMIT;
