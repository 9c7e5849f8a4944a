import { argon2Tool, htpasswdTool, phpTool, pythonTool } from './tools.ts'
import type { Tool } from './tools.ts'

const django3 = (hasher: string): Tool =>
  pythonTool(
    `${hasher} of Django`,
    'django',
    `from django.conf import settings; settings.configure(); from django.contrib.auth.hashers import make_password; result = make_password(password, hasher='${hasher}')`,
  )

/** WordPress 6.8, `wp_hash_password` in wp-includes/pluggable.php. */
const wordpress68 = phpTool(
  'WordPress 6.8',
  "'$wp' . password_hash(base64_encode(hash_hmac('sha384', trim($password), 'wp-sha384', true)), PASSWORD_BCRYPT, ['cost' => 5])",
)

/** Keycloak's PBKDF2, in the form of toKeycloakHash, by Python's own PBKDF2. */
const pbkdf2 = (name: string, digest: string, length: number): Tool =>
  pythonTool(
    `${name} of Keycloak`,
    'hashlib',
    `import hashlib, base64; encode = lambda data: base64.b64encode(data).decode().rstrip('='); salt = b'saltsaltsaltsalt'; result = '\\x24${name}\\x24i=27500\\x24' + encode(salt) + '\\x24' + encode(hashlib.pbkdf2_hmac('${digest}', password.encode(), salt, 27500, ${length}))`,
  )

/** The programs that make hashes, by the name of the verifier; the fixtures are from them too. */
export const importTools: readonly (readonly [verifier: string, Tool])[] = [
  ['argon2', argon2Tool('-id', '-t', '2', '-k', '1024', '-p', '1', '-l', '32')],
  ['argon2', argon2Tool('-i', '-t', '3', '-k', '1024', '-p', '2', '-l', '32')],
  [
    'argon2',
    phpTool(
      'Argon2id of PHP',
      "password_hash($password, PASSWORD_ARGON2ID, ['memory_cost' => 1024])",
    ),
  ],
  [
    'argon2',
    phpTool(
      'Argon2i of PHP',
      "password_hash($password, PASSWORD_ARGON2I, ['memory_cost' => 1024])",
    ),
  ],
  ['bcrypt', htpasswdTool()],
  ['bcrypt', phpTool('bcrypt of PHP', "password_hash($password, PASSWORD_BCRYPT, ['cost' => 5])")],
  ['django', django3('pbkdf2_sha256')],
  ['django', django3('pbkdf2_sha1')],
  ['keycloak', pbkdf2('pbkdf2', 'sha1', 20)],
  ['keycloak', pbkdf2('pbkdf2-sha256', 'sha256', 64)],
  ['keycloak', pbkdf2('pbkdf2-sha512', 'sha512', 64)],
  [
    'wordpress',
    pythonTool(
      'phpass of passlib',
      'passlib',
      'from passlib.hash import phpass; result = phpass.using(rounds=13).hash(password)',
    ),
  ],
  ['wordpress', wordpress68],
]

/** Passwords that every program takes. */
export const passwords: readonly string[] = [
  'correct horse battery',
  'Zoë 😀 пароль',
  'x',
  '`$HOME`',
]
