SELECT json_object('id', u.id, 'email', u.email, 'emailVerified', u.email_verified, 'hash', a.password)
FROM user u JOIN account a ON a.user_id = u.id
WHERE a.provider_id = 'credential' AND a.password IS NOT NULL;
