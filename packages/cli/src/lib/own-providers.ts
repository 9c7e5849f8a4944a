/** A way to sign in without an identity provider: no variables, and nothing to register. */
export interface OwnProvider {
  readonly id: string
  readonly title: string
  /** The package that it is in, if it is not `@latchkey/core`. */
  readonly install?: string
  /** The lines at the top of `auth.ts`. */
  readonly imports: readonly string[]
  /** The lines of `createAuth`. */
  readonly lines: readonly string[]
  readonly note: string
}

const stored = 'storage,'

const ownProviders: readonly OwnProvider[] = [
  {
    id: 'passwords',
    title: 'email address and password',
    install: '@latchkey/passwords',
    imports: [
      "import { breachedPasswords, passwords } from '@latchkey/passwords'",
      "import { scrypt } from '@latchkey/passwords/scrypt'",
    ],
    lines: [
      stored,
      "session: { strategy: 'storage' },",
      "providers: [passwords({ hasher: scrypt(), mailer, from: 'sign-in@example.com', check: breachedPasswords() })],",
    ],
    note: 'The storage keeps the hashes: give it the option factors: sqlFactors() of @latchkey/storage-sql/factors. The README of @latchkey/passwords leads to its options.',
  },
  {
    id: 'passkeys',
    title: 'passkeys',
    install: '@latchkey/passkeys',
    imports: ["import { passkeys } from '@latchkey/passkeys'"],
    lines: [
      stored,
      "session: { strategy: 'storage' },",
      "providers: [passkeys({ rpName: 'Example' }), email({ mailer, from: 'sign-in@example.com' })],",
    ],
    note: 'The storage keeps the passkeys: give it the option factors: sqlFactors() of @latchkey/storage-sql/factors. They need https, or http://localhost. The README of @latchkey/passkeys leads to its options.',
  },
  {
    id: 'email',
    title: 'a link and a code by email',
    imports: ["import { email } from '@latchkey/core/providers/email'"],
    lines: [stored, "providers: [email({ mailer, from: 'sign-in@example.com' })],"],
    note: 'The mailer is of @latchkey/mail, such as smtp(url).',
  },
  {
    id: 'credentials',
    title: 'names and passwords of the application',
    imports: ["import { credentials } from '@latchkey/core/providers/credentials'"],
    lines: [
      "providers: [credentials({ fields: { username: { label: 'User name' } }, authorize: findUser })],",
    ],
    note: 'findUser(fields) returns the user, or null. For passwords that the service keeps: npx latchkey providers passwords.',
  },
]

/** Returns a way to sign in without an identity provider; undefined if there is none of this name. */
export function findOwnProvider(id: string | undefined): OwnProvider | undefined {
  return ownProviders.find((provider) => provider.id === id)
}
