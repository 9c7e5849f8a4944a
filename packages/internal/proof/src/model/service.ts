import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Identity, Provider } from '@latchkey/core'
import { accountPages } from '@latchkey/core/account'
import { apiTokens } from '@latchkey/core/api-tokens'
import { confirmation } from '@latchkey/core/confirmation'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { credentials } from '@latchkey/core/providers/credentials'
import { email } from '@latchkey/core/providers/email'
import { secondFactor } from '@latchkey/core/second-factor'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import { passwords } from '@latchkey/passwords'
import { recoveryCodes, totp } from '@latchkey/totp'
import { cheapHasher } from '../../../bench/src/contenders/cheap-hasher.ts'
import type { Person } from './people.ts'
import type { Ports } from './ports.ts'
import { strategies, toSessionOptions } from './strategies.ts'
import type { Strategy } from './strategies.ts'

/** The origin of the service, and the URL that its paths are relative to. */
export const origin = 'https://app.example'
export const base: string = `${origin}/api/auth`

/** The secret of the service before, whose sessions are imported. */
export const previousSecret = 'the secret of the service before, for next-auth'

/** Days for which a browser can spare the second factor. */
const REMEMBERED_DAYS = 7

/** What a service is created from. */
export interface ServiceParts {
  readonly strategy: Strategy
  readonly ports: Ports
  /** The first one seals, all of them open (I-13). */
  readonly secrets: readonly string[]
  readonly people: readonly Person[]
  /** Returns whom an authorization code is for. */
  readonly findCode: (code: string) => Person | undefined
}

/** Creates the service of a world, with every feature that its strategy allows. */
export function createService(parts: ServiceParts): Auth {
  const { strategy, ports, secrets } = parts
  const { storage, runtime, logger } = ports
  const features = strategies[strategy]
  return createAuth({
    serviceUrl: origin,
    secret: secrets,
    providers: listProviders(parts),
    ...(storage && { storage }),
    session: {
      ...toSessionOptions(strategy),
      update: ({ token, data }) => ({ ...token, note: String(data) }),
      importFrom: [nextAuthV4({ secret: previousSecret, until: new Date('2099-01-01') })],
    },
    tokens: apiTokens({ audience: 'https://api.example', keys: [tokenKey] }),
    ...(features.includes('revocation') && protectedAccounts()),
    runtime,
    logger,
  })
}

function protectedAccounts(): Pick<AuthConfig, 'confirmation' | 'account' | 'secondFactor'> {
  return {
    confirmation: confirmation(),
    account: accountPages(),
    secondFactor: secondFactor({
      methods: [passkeyFactor(), totp(), recoveryCodes()],
      rememberFor: REMEMBERED_DAYS * 86_400,
    }),
  }
}

function listProviders(parts: ServiceParts): readonly Provider[] {
  const { strategy, ports } = parts
  const features = strategies[strategy]
  const from = 'Example <sign-in@app.example>'
  const { mailer } = ports
  return [
    scripted('passport', parts),
    scripted('other', parts),
    members(parts),
    ...(features.includes('storage') ? [email({ mailer, from, code: true })] : []),
    ...(features.includes('revocation')
      ? [passwords({ mailer, from, hasher: cheapHasher }), passkeys({ offerAfterSignIn: false })]
      : []),
  ]
}

/** An identity provider without a protocol; only `passport` proves email addresses. It lets each code be used any number of times, so that only the service refuses it. */
function scripted(id: 'passport' | 'other', { ports, findCode }: ServiceParts): Provider {
  return {
    id,
    name: id,
    type: 'oauth',
    async begin({ state, redirectUri }) {
      const redirect = new URL(`https://${id}.example/authorize`)
      redirect.searchParams.set('redirect_uri', redirectUri)
      if (state !== undefined) redirect.searchParams.set('state', state)
      return { redirect, flow: { began: 'here' } }
    },
    async finish({ params, flow }): Promise<Identity> {
      const person = findCode(params.get('code') ?? '')
      if (!person || flow['began'] !== 'here') throw new Error('the code is unknown')
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

function members({ people }: ServiceParts): Provider {
  return credentials({
    id: 'members',
    fields: { name: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
    authorize: ({ name, password }) => {
      const person = people.find((each) => each.name === name)
      return person?.memberPassword === password ? { id: `member-${name}`, name } : null
    },
  })
}

/** Published, like everything here. */
const tokenKey = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: 'ryPKs1v5Y8aTO9dEssb4pdX9BBnZerE3EiDFItK3Xrs',
  d: 'CkmuzrBt-w5UHHIphA8c05L3O4eszptS7-Hi-sZ_898',
  kid: 'model',
  alg: 'EdDSA',
  use: 'sig',
}
