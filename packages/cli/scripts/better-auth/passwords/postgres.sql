SELECT json_build_object('id', u.id, 'email', u.email, 'emailVerified', u."emailVerified", 'hash', a.password)::text
FROM "user" u JOIN account a ON a."userId" = u.id
WHERE a."providerId" = 'credential' AND a.password IS NOT NULL;
