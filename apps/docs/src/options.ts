import { ReflectionKind } from 'typedoc'
import type { DeclarationReflection, ProjectReflection } from 'typedoc'
import { ConfigurationError, createAuth } from '../../../packages/core/src/index.ts'
import type { AuthConfig } from '../../../packages/core/src/index.ts'
import { confirmation } from '../../../packages/core/src/confirmation/confirmation.ts'
import { createTheme } from '../../../packages/core/src/pages/create-theme.ts'
import { credentials } from '../../../packages/core/src/providers/credentials.ts'
import { email } from '../../../packages/core/src/providers/email.ts'
import { oauth } from '../../../packages/core/src/providers/oauth.ts'
import { oidc } from '../../../packages/core/src/providers/oidc.ts'
import { secondFactor } from '@latchkey/second-factor'
import { securityEmails } from '@latchkey/account'
import { apiTokens } from '@latchkey/tokens'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { passkeys } from '../../../packages/passkeys/src/passkeys.ts'
import { passwords } from '../../../packages/passwords/src/passwords.ts'
import { scrypt } from '../../../packages/passwords/src/scrypt.ts'
import { totp } from '../../../packages/second-factor/src/index.ts'
import { findExport, toText } from './api.ts'

/** Options that belong together. */
interface Group {
  readonly title: string
  readonly intro: string
  /** The interface of the options. */
  readonly type: string
  /** The entry that exports it, without the scope, if another one has the same name. */
  readonly module?: string
  /** The path of an option before its own name. */
  readonly prefix: string
  /**
   * Configures a service with a value for one option.
   *
   * @throws ConfigurationError if the value is refused
   */
  readonly configure: (name: string, value: unknown) => unknown
}

const config: AuthConfig = {
  serviceUrl: 'https://example.com',
  secret: '6bX0jQpYw2nVtR8sKd4hLz1mCf5gAq7e',
  providers: [
    oidc({ id: 'op', name: 'OP', issuer: 'https://op.example', clientId: 'a', clientSecret: 'b' }),
  ],
  logger: { error: () => undefined, warn: () => undefined },
}

const configureService = (over: object): unknown => createAuth({ ...config, ...over })

const group = (name: string): Group['configure'] => {
  return (option, value) => configureService({ [name]: { [option]: value } })
}

const configureProvider = (
  create: (options: never) => unknown,
  valid: object,
): Group['configure'] => {
  return (name, value) => create({ ...valid, [name]: value } as never)
}

const client = { clientId: 'a', clientSecret: 'b' }
const oidcOptions = { id: 'op', name: 'OP', issuer: 'https://op.example', ...client }
const oauthOptions = {
  id: 'op',
  name: 'OP',
  authorizationEndpoint: 'https://op.example/a',
  tokenEndpoint: 'https://op.example/t',
  userinfo: 'https://op.example/u',
  ...client,
}

const groups: readonly Group[] = [
  {
    title: 'The configuration',
    intro: 'What `createAuth` takes.',
    type: 'AuthConfig',
    prefix: '',
    configure: (name, value) => configureService({ [name]: value }),
  },
  {
    title: 'Sessions',
    intro: 'The option `session`. [How sessions work](./sessions.md)',
    type: 'SessionOptions',
    prefix: 'session.',
    configure: group('session'),
  },
  {
    title: 'Confirmation',
    intro: 'The options of `confirmation()` in `use`. [How a confirmation works](./sessions.md)',
    type: 'ConfirmationOptions',
    prefix: 'confirmation.',
    configure: configureProvider(confirmation, {}),
  },
  {
    title: 'Second factor',
    intro:
      'The options of `secondFactor()` in `use`. [How a second factor works](./second-factor.md)',
    type: 'SecondFactorOptions',
    prefix: 'secondFactor.',
    configure: configureProvider(secondFactor, { methods: [totp()] }),
  },
  {
    title: 'Emails about security',
    intro:
      'The options of `securityEmails()` in `use`. [What the emails say](./security-emails.md)',
    type: 'SecurityEmailsOptions',
    prefix: 'securityEmails.',
    configure: configureProvider(securityEmails, {
      mailer: { send: async () => undefined },
      from: 'security@example.com',
    }),
  },
  {
    title: 'Tokens for APIs',
    intro: 'The options of `apiTokens()` in `use`. [How an API verifies them](./tokens.md)',
    type: 'ApiTokensOptions',
    prefix: 'tokens.',
    configure: configureProvider(apiTokens, {
      audience: 'https://api.example.com',
      keys: [await generateTokenKey()],
    }),
  },
  {
    title: 'Pages',
    intro: 'The option `pages`: URLs of your own. [More about pages](./pages.md)',
    type: 'PagesOptions',
    prefix: 'pages.',
    configure: group('pages'),
  },
  {
    title: 'Theme',
    intro: 'The options of `createTheme()`. [More about themes](./pages.md#themes)',
    type: 'ThemeOptions',
    prefix: 'theme.',
    configure: configureProvider(createTheme, {}),
  },
  {
    title: 'Cookies',
    intro: 'The option `cookies`.',
    type: 'CookiesOptions',
    prefix: 'cookies.',
    configure: group('cookies'),
  },
  {
    title: 'Limits',
    intro:
      'The option `limits`: each is `{ times, window }`, with the window in seconds, or `false`.',
    type: 'LimitsOptions',
    prefix: 'limits.',
    configure: group('limits'),
  },
  {
    title: 'Timeouts',
    intro: 'The option `timeouts`, in seconds.',
    type: 'Timeouts',
    prefix: 'timeouts.',
    configure: group('timeouts'),
  },
  {
    title: 'Runtime',
    intro: 'The option `runtime`: what the service takes from the platform.',
    type: 'Runtime',
    prefix: 'runtime.',
    configure: group('runtime'),
  },
  {
    title: 'Every identity provider',
    intro: 'Options that each identity provider has.',
    type: 'ProviderOptions',
    prefix: 'providers.<id>.',
    configure: configureProvider(oidc, oidcOptions),
  },
  {
    title: 'Any OpenID provider',
    intro: 'Further options of `oidc()`.',
    type: 'OidcConfig',
    prefix: 'providers.<id>.',
    configure: configureProvider(oidc, oidcOptions),
  },
  {
    title: 'Any OAuth provider',
    intro: 'Further options of `oauth()`.',
    type: 'OAuthConfig',
    prefix: 'providers.<id>.',
    configure: configureProvider(oauth, oauthOptions),
  },
  {
    title: 'Email',
    intro: 'The options of `email()`. [Sign-in by email](./email.md)',
    type: 'EmailOptions',
    prefix: 'providers.email.',
    configure: configureProvider(email, {
      mailer: { send: async () => undefined },
      from: 'sign-in@example.com',
    }),
  },
  {
    title: 'Passwords',
    intro: 'The options of `passwords()`. [Passwords](./passwords.md)',
    type: 'PasswordsOptions',
    prefix: 'providers.passwords.',
    configure: configureProvider(passwords, {
      hasher: scrypt(),
      mailer: { send: async () => undefined },
      from: 'sign-in@example.com',
    }),
  },
  {
    title: 'Passkeys',
    intro: 'The options of `passkeys()`. [Passkeys](./passkeys.md)',
    type: 'PasskeysOptions',
    module: 'passkeys',
    prefix: 'providers.passkey.',
    configure: configureProvider(passkeys, {}),
  },
  {
    title: 'Credentials',
    intro: 'The options of `credentials()`. [Credentials](./credentials.md)',
    type: 'CredentialsOptions',
    prefix: 'providers.credentials.',
    configure: configureProvider(credentials, {
      fields: { name: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
      authorize: async () => null,
    }),
  },
]

/** Values that few options accept: what an option says of them is what it says of a mistake. */
const mistakes: readonly unknown[] = ['nonsense', -1, 'storage', {}, [], { name: 'a b' }, null]

/** Describes every option: its type, its docstring with the default, and how mistakes are refused. */
export function describeOptions(project: ProjectReflection): string {
  return groups.map((entry) => describeGroup(project, entry)).join('\n')
}

function describeGroup(project: ProjectReflection, entry: Group): string {
  const shared = findExport(project, 'ProviderOptions')
  const isFurther = ['OidcConfig', 'OAuthConfig'].includes(entry.type)
  const inherited = (shared.children ?? []).map(({ name }) => name)
  const options = (findExport(project, entry.type, entry.module).children ?? []).filter(
    ({ kind, name }) =>
      kind === ReflectionKind.Property && !(isFurther && inherited.includes(name)),
  )
  const sections = options.map((option) => describeOption(option, entry))
  return `\n## ${entry.title}\n\n${entry.intro}\n\n${sections.join('\n')}`
}

function describeOption(
  option: DeclarationReflection,
  { title, prefix, configure }: Group,
): string {
  const { name, flags, type } = option
  // The members of a `Partial` are not optional by themselves: what can be left out is accepted as undefined.
  const isRequired = !flags.isOptional && getRefusal(() => configure(name, undefined)) !== undefined
  const path = `${prefix}${name}`
  const anchor = `${title}-${name}`.toLowerCase().replaceAll(' ', '-')
  const refusals = [...new Set(mistakes.map((value) => getRefusal(() => configure(name, value))))]
    .filter((refusal) => refusal?.startsWith(prefix.split('.')[0] || name) && !/\.0:/.test(refusal))
    .map((refusal) => `- \`${refusal}\``)
  return [
    `### ${path.replaceAll('<', '\\<')} {#${anchor}}`,
    `\`\`\`ts\n${String(type).replaceAll(' | undefined', '')}\n\`\`\``,
    `${isRequired ? '**Required.** ' : ''}${toText(option)}`,
    refusals.length > 0 ? `Refused at start-up:\n\n${refusals.join('\n')}` : '',
    '',
  ]
    .filter((part, i, parts) => part !== '' || i === parts.length - 1)
    .join('\n\n')
}

/** Returns what is said of a mistake; undefined if the value is accepted. */
function getRefusal(configure: () => unknown): string | undefined {
  try {
    configure()
    return undefined
  } catch (thrown) {
    return thrown instanceof ConfigurationError ? thrown.message : undefined
  }
}
