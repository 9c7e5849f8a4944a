import { createHash } from 'node:crypto'
import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Identity, Mail, Provider, Storage } from '@latchkey/core'
import { accountPages } from '@latchkey/account'
import { apiTokens } from '@latchkey/tokens'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { email } from '@latchkey/core/providers/email'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import { passwords } from '@latchkey/passwords'
import { fastHasher } from '../../../passwords/test/support/service.ts'

export const origin = 'https://app.example'
export const base: string = `${origin}/api/auth`

const tokenKey = await generateTokenKey()

/** Where sessions are kept (I-34). Those of `cookie` end only in their browser: then there are no factors, passwords and passkeys. */
export const strategies = ['stored', 'revocable', 'cookie'] as const
export type Strategy = (typeof strategies)[number]

/** Seconds after which an unused session ends, a session in use is renewed, and any session ends (I-35). */
export const limits = { maxAge: 3600, updateAge: 600, absoluteMaxAge: 14_400 } as const

/** Seconds for which a browser spares the second factor. */
export const REMEMBERED = 7 * 86_400

/** A person who uses browsers: Alice and Bob use theirs, Mallory attacks them. */
export class Person {
  readonly name: 'alice' | 'bob' | 'mallory'
  readonly email: string
  /** What the person types at `members`, which the application checks itself. */
  readonly memberPassword: string
  /** What the person has chosen at `passwords`; undefined before. */
  password: string | undefined
  /** The id of the user that each way has signed in last. */
  readonly users: Map<Way, string> = new Map()

  constructor(name: Person['name']) {
    this.name = name
    this.email = `${name}@example.com`
    this.memberPassword = `the member password of ${name}`
  }
}

/** A way in which a person signs in. */
export type Way = 'passport' | 'other' | 'members' | 'email' | 'passwords' | 'passkey'

/** What the service is given besides its options: a clock, random bytes, a mailbox, a log and a storage. */
export class Ports {
  /** Milliseconds since 1970. The clock stands still until a command advances it. */
  time = 1_800_000_000_000
  readonly storage: Storage = memoryStorage()
  readonly mails: Mail[] = []
  readonly lines: string[] = []
  /** Users of authorization codes. */
  readonly codes: Map<string, Person> = new Map()
  #drawn = 0

  /** Seconds since 1970. */
  get now(): number {
    return Math.floor(this.time / 1000)
  }

  /** Bytes are the same in each run, so that a counterexample can be repeated. */
  readonly #random = (length: number): Uint8Array<ArrayBuffer> => {
    const blocks = Array.from({ length: Math.ceil(length / 32) }, () =>
      createHash('sha256').update(`model ${this.#drawn++}`).digest(),
    )
    return new Uint8Array(Buffer.concat(blocks).subarray(0, length))
  }

  readonly #write = (message: string, details: object): void =>
    void this.lines.push(`${message} ${JSON.stringify(details)}`)

  readonly mailer = { send: async (mail: Mail): Promise<void> => void this.mails.push(mail) }

  /** The parts of the configuration. Time limits are never reached, and short pauses take no time. */
  get options(): Pick<AuthConfig, 'storage' | 'runtime' | 'logger'> {
    const schedule = (milliseconds: number, callback: () => void): (() => void) => {
      const immediate = milliseconds < 1000 ? setImmediate(callback) : undefined
      return () => clearImmediate(immediate)
    }
    const now = (): number => this.time
    return {
      storage: this.storage,
      runtime: { now, monotonic: now, schedule, random: this.#random },
      logger: { error: this.#write, warn: this.#write, debug: this.#write },
    }
  }
}

/** Creates a service with every feature that its strategy allows. The first secret seals, all of them open (I-13). */
export function createService(
  strategy: Strategy,
  ports: Ports,
  people: readonly Person[],
  secrets: readonly string[],
): Auth {
  const mail = { mailer: ports.mailer, from: 'Example <sign-in@app.example>' }
  const isCookie = strategy === 'cookie'
  const methods = [passkeyFactor(), totp(), recoveryCodes()]
  return createAuth({
    serviceUrl: origin,
    secret: secrets,
    providers: [
      identityProvider('passport', ports),
      identityProvider('other', ports),
      members(people),
      email({ ...mail, code: true }),
      ...(isCookie
        ? []
        : [passwords({ ...mail, hasher: fastHasher() }), passkeys({ offerAfterSignIn: false })]),
    ],
    session: {
      ...limits,
      strategy: strategy === 'stored' ? 'storage' : 'cookie',
      ...(strategy === 'revocable' && { revocable: true }),
      ...(isCookie && { acceptsDeletedUsers: true }),
      update: ({ token, data }) => ({ ...token, note: String(data) }),
    },
    use: [
      apiTokens({ audience: 'https://api.example', keys: [tokenKey] }),
      ...(isCookie
        ? []
        : [confirmation(), accountPages(), secondFactor({ methods, rememberFor: REMEMBERED })]),
    ],
    ...ports.options,
  })
}

/** An identity provider without a protocol; only `passport` proves email addresses. Codes work repeatedly, so that only the service refuses them. */
function identityProvider(id: 'passport' | 'other', ports: Ports): Provider {
  return {
    id,
    name: id,
    type: 'oauth',
    async begin({ state = '', redirectUri }) {
      const query = new URLSearchParams({ redirect_uri: redirectUri, state })
      return { redirect: new URL(`https://${id}.example/authorize?${query}`), flow: { id } }
    },
    async finish({ params, flow }): Promise<Identity> {
      const person = ports.codes.get(params.get('code') ?? '')
      if (!person || flow['id'] !== id) throw new Error('the code is unknown')
      const { name } = person
      const emailProven = id === 'passport'
      const address = emailProven ? person.email : `${name}@${id}.example`
      return {
        subject: name,
        profile: { name, email: address, emailVerified: emailProven, image: null },
        emailProven,
        tokens: { access_token: toAccessToken(id, person) },
        claims: { sub: name },
        authentication: { authenticatedAt: ports.now, methods: ['fed'] },
      }
    },
  }
}

/** Returns the access token that a provider gives for a person. */
export function toAccessToken(provider: string, { name }: Person): string {
  return `the access token of ${name} at ${provider}`
}

function members(people: readonly Person[]): Provider {
  return credentials({
    id: 'members',
    fields: { name: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
    authorize: ({ name, password }) => {
      const person = people.find((each) => each.name === name)
      return person?.memberPassword === password ? { id: `member-${name}`, name } : null
    },
  })
}
