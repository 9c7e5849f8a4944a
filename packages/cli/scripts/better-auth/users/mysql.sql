START TRANSACTION;

INSERT INTO latchkey_users (
  id, name, email, email_verified, unverified_email, image,
  role, credits, newsletter, trialEndsAt -- fields
)
SELECT
  id,
  CONVERT(name USING utf8mb4),
  IF(emailVerified, CONVERT(lower(email) USING utf8mb4), NULL),
  emailVerified,
  IF(emailVerified, NULL, CONVERT(lower(email) USING utf8mb4)),
  CONVERT(image USING utf8mb4),
  CONVERT(role USING utf8mb4), credits, newsletter, floor(unix_timestamp(trialEndsAt) * 1000) -- fields
FROM user;

INSERT INTO latchkey_accounts (
  provider, provider_account_id, user_id, type,
  access_token, refresh_token, id_token, token_type, scope, expires_at
)
SELECT
  providerId,
  CONVERT(accountId USING utf8mb4),
  userId,
  IF(providerId IN ('apple', 'google'), 'oidc', 'oauth'),
  accessToken,
  refreshToken,
  idToken,
  IF(accessToken IS NULL, NULL, 'bearer'),
  replace(scope, ',', ' '),
  floor(unix_timestamp(accessTokenExpiresAt))
FROM account
WHERE providerId <> 'credential';

COMMIT;
