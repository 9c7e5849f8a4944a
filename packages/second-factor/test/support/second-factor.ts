import type { AuthConfig, Factor, Provider } from '@latchkey/core'
import type {
  BackupMethod,
  EnrolledMethod,
  SecondFactorInput,
  SecondFactorOptions,
} from '@latchkey/second-factor'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { secondFactor } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing/browser'
import { expect } from 'vitest'
import { credentials } from '@latchkey/core/providers/credentials'
import { mergeUse, passport, serve, signIn } from '../../../core/test/support/service.ts'
import type { TestService } from '../../../core/test/support/service.ts'

const fields = { code: { label: 'Code' } }

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

interface ListData {
  readonly sealed: string
  readonly last: number
}

/** Parses `<secret>-<number>`. */
function parseCode(text: string = ''): { readonly secret: string; readonly number: number } {
  const [secret = '', number = ''] = text.split('-')
  return { secret, number: Number(number || '0') }
}

/** A list of numbered codes of one secret: each works once, and no earlier one after it. */
export const numbers: EnrolledMethod = {
  id: 'numbers',
  methods: ['otp'],
  fields,
  async verify({ data }: Factor, { fields: typed, sealer }: SecondFactorInput) {
    const held = JSON.parse(data) as ListData
    const kept = await sealer.open(held.sealed)
    if (kept === undefined) throw new Error('the key cannot be opened')
    const { secret, number } = parseCode(typed.get('code'))
    if (secret !== kept || !(number > held.last)) return undefined
    return JSON.stringify({ sealed: await sealer.seal(kept), last: number })
  },
  async reseal({ data }, { sealer }) {
    const held = JSON.parse(data) as ListData
    const kept = await sealer.open(held.sealed)
    if (kept === undefined) throw new Error('the key cannot be opened')
    return JSON.stringify({ ...held, sealed: await sealer.seal(kept) })
  },
  enrolment: {
    begin: (random) => toHex(random(4)),
    show: (secret, issuer, account) => ({
      text: secret,
      url: `otpauth://totp/${issuer}:${account}?secret=${secret}`,
      svg: '<svg viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>',
    }),
    async finish(secret, { fields: typed, sealer }) {
      const { secret: given, number } = parseCode(typed.get('code'))
      if (given !== secret || number < 1) return undefined
      return JSON.stringify({ sealed: await sealer.seal(secret), last: number })
    },
  },
}

/** Two codes that stand in for the list. */
export const spare: BackupMethod = {
  id: 'spare',
  methods: ['recovery'],
  fields,
  isBackup: true,
  async verify({ data }, { fields: typed }) {
    const codes = JSON.parse(data) as string[]
    const given = typed.get('code') ?? ''
    return codes.includes(given)
      ? JSON.stringify(codes.filter((code) => code !== given))
      : undefined
  },
  async create({ random }) {
    const codes = [toHex(random(8)), toHex(random(8))]
    return { data: JSON.stringify(codes), codes }
  },
}

/** Serves second factors, with a storage in memory. */
export function serveSecond(
  over: Partial<AuthConfig> = {},
  options: Partial<SecondFactorOptions> = {},
): TestService<unknown> & { readonly storage: NonNullable<AuthConfig['storage']> } {
  const { storage = memoryStorage() } = over
  const service = serve({
    ...over,
    use: mergeUse(
      [confirmation(), secondFactor({ methods: [numbers, spare], ...options })],
      over.use,
    ),
    storage,
  })
  return { ...service, storage }
}

/** What an enrolment leaves with the user. */
export interface Enrolled {
  readonly secret: string
  readonly codes: readonly string[]
}

/** Enrols a list of codes in the session of a browser. */
export async function enrol(browser: Browser): Promise<Enrolled> {
  const begun = await browser.submit('/signin/numbers', { link: 'true', callbackUrl: '/account' })
  expect(begun.headers.get('location')).toMatch(/\/signin\?second=true$/)
  const secret = await readSecret(browser)
  const finished = await browser.submit('/signin/numbers', { code: `${secret}-1` })
  expect(finished.status).toBe(finished.headers.has('location') ? 302 : 200)
  return { secret, codes: readCodes(await finished.text()) }
}

/** Reads the secret that the page of an enrolment shows. */
export async function readSecret(browser: Browser): Promise<string> {
  const html = await (await browser.visit('/signin?second=true')).text()
  const [, secret = ''] = /secret=([\da-f]+)/.exec(html) ?? []
  return secret
}

/** Reads the recovery codes that a page shows. */
export function readCodes(html: string): string[] {
  return [...html.matchAll(/<code>([\da-f]+)<\/code>/g)].map(([, code = '']) => code)
}

/** A provider that says when the user authenticated. */
export const present: Provider = passport({
  identify: () => ({
    authentication: { authenticatedAt: Math.floor(Date.now() / 1000), methods: ['fed'] },
  }),
})

/** Accepts any user id with the password `right`. */
export const staff: Provider = credentials({
  fields: { name: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
  authorize: async ({ name, password }) => (password === 'right' ? { id: name, name } : null),
})

/** A service whose user alice has a second factor, enrolled in the browser `owner`. */
export interface OwnedService extends ReturnType<typeof serveSecond> {
  readonly owner: Browser
  readonly kept: Enrolled
}

/** Serves a user, alice, who has a second factor. */
export async function serveOwner(
  over: Partial<AuthConfig> = {},
  options: Partial<SecondFactorOptions> = {},
): Promise<OwnedService> {
  const service = serveSecond({ providers: [present, staff], ...over }, options)
  const owner = service.browse()
  await signIn(owner)
  return { ...service, owner, kept: await enrol(owner) }
}

/** Posts a code to a browser's unfinished sign-in. */
export function prove(
  browser: Browser,
  code: string,
  over: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return browser.submit('/signin/numbers', { code, ...over })
}
