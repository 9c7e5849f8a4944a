COPY (
  SELECT provider, provider_id, user_id
  FROM auth.identities
  WHERE provider IN ('apple', 'discord', 'github', 'google')
) TO STDOUT WITH (FORMAT csv, HEADER);
