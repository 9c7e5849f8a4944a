import type { AuthConfig, Provider } from '@latchkey/core'
import type { BackupMethod, EnrolledMethod, SecondFactorOptions } from '@latchkey/second-factor'
import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { secondFactor } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing/browser'
import { expect } from 'vitest'
import { passport } from './provider.ts'
import { signIn } from './tab.ts'

const fields = { code: { label: 'Code' } }
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** A secret that the user types as it is. */
const device: EnrolledMethod = {
  id: 'device',
  methods: ['otp'],
  fields,
  verify: async ({ data }, { fields: typed }) => (typed.get('code') === data ? data : undefined),
  enrolment: {
    begin: (random) => toHex(random(8)),
    show: (text) => ({ text, url: `device:${text}`, svg: '<svg></svg>' }),
    finish: async (secret, { fields: typed }) =>
      typed.get('code') === secret ? secret : undefined,
  },
}

/** Two codes, each of which stands in for the device once. */
const spare: BackupMethod = {
  id: 'spare',
  methods: ['recovery'],
  fields,
  isBackup: true,
  async verify({ data }, { fields: typed }) {
    const code = typed.get('code') ?? ''
    const codes = data.split(' ')
    if (!codes.includes(code)) return undefined
    return codes.filter((each) => each !== code).join(' ')
  },
  async create({ random }) {
    const codes = [toHex(random(8)), toHex(random(8))]
    return { data: codes.join(' '), codes }
  },
}

/** The device, and the codes that stand in for it. */
export const factorMethods: readonly [EnrolledMethod, BackupMethod] = [device, spare]

/** The provider of the tests, which says that the user authenticated now. */
const present: Provider = {
  ...passport,
  async finish(input) {
    const authenticatedAt = Math.floor(Date.now() / 1000)
    return { ...(await passport.finish(input)), authentication: { authenticatedAt, methods: [] } }
  },
}

/** Returns the options of a service with second factors and an account page. */
export function withFactors({ require }: Pick<SecondFactorOptions, 'require'> = {}): Pick<
  AuthConfig,
  'providers' | 'use'
> {
  return {
    providers: [present, { ...passport, id: 'absent' }],
    use: [
      confirmation(),
      accountPages(),
      secondFactor({ methods: factorMethods, ...(require && { require }) }),
    ],
  }
}

/** Finishes the enrolment that a session has begun, and returns the secret and the response. */
export async function finishEnrolment(
  browser: Browser,
): Promise<{ readonly secret: string; readonly response: Response }> {
  const page = await (await browser.visit('/signin?second=true')).text()
  const [, secret = ''] = /device:([\da-f]+)/.exec(page) ?? []
  return { secret, response: await browser.submit('/signin/device', { code: secret }) }
}

/** Signs a user in who has a device. */
export async function signInWithDevice(browser: Browser, account: string): Promise<void> {
  await signIn(browser, account)
  await browser.submit('/signin/device', { link: 'true' })
  const { secret } = await finishEnrolment(browser)
  // The session that enrolled the first device has not proven it.
  await signIn(browser, account)
  await proveDevice(browser, secret)
}

async function proveDevice(browser: Browser, code: string): Promise<void> {
  const { status } = await browser.submit('/signin/device', { code })
  expect(status).toBe(302)
}
