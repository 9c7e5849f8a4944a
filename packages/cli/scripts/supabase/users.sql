COPY (
  SELECT
    id,
    email,
    email_confirmed_at AS "emailVerified",
    encrypted_password AS hash,
    left(coalesce(raw_user_meta_data ->> 'full_name', raw_user_meta_data ->> 'name'), 255) AS name,
    raw_user_meta_data ->> 'avatar_url' AS image
  FROM auth.users
  WHERE email <> ''
    AND deleted_at IS NULL
    AND (banned_until IS NULL OR banned_until < now())
    AND NOT is_sso_user
    AND NOT is_anonymous
) TO STDOUT WITH (FORMAT csv, HEADER);
