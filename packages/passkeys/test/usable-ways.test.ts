import type { AuthConfig } from '@latchkey/core'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import type { PasskeysOptions } from '@latchkey/passkeys'
import { describe, expect, test } from 'vitest'
import { register, servePasswords } from '../../passwords/test/support/service.ts'
import type { PasswordService } from '../../passwords/test/support/service.ts'
import type { Device } from './support/device.ts'
import { addPasskey, alice, defaultUse, signIn } from './support/service.ts'

const json = { headers: { accept: 'application/json' } }
const account = { provider: 'retired', type: 'oauth', providerAccountId: '1' }

function serve(options: PasskeysOptions = {}, over: Partial<AuthConfig> = {}): PasswordService {
  return servePasswords({}, { providers: [passkeys(options)], ...over })
}

/** Registers Alice by a password, who adds a passkey and has an account of a provider that is not configured. */
async function createAlice(service: PasswordService): Promise<{
  readonly id: string
  readonly browser: Browser
  readonly device: Device
}> {
  const browser = await register(service)
  const { id = '' } = { ...(await service.storage.getUserByEmail(alice)) }
  await service.storage.linkAccount(id, account)
  return { id, browser, device: await addPasskey(browser) }
}

async function change(browser: Browser, fields: Record<string, string>): Promise<number> {
  return (await browser.submit('/account', fields, json)).status
}

async function getPasskey(
  { auth }: PasswordService,
  id: string,
): Promise<{ id: string; type: string }> {
  const passkey = (await auth.factors.list(id)).find(({ type }) => type === 'passkey')
  return passkey ?? { type: '', id: '' }
}

describe('auth.factors (I-53.4)', () => {
  test('lists and removes passwords and passkeys, whatever is configured', async () => {
    const service = serve()
    const { id } = await createAlice(service)
    const option = secondFactor({ methods: [totp(), recoveryCodes()] })
    const { storage } = service
    for (const over of [{}, { use: [...defaultUse, option] }, { providers: [] }]) {
      const { auth } = serve({}, { storage, ...over })
      const types = (await auth.factors.list(id)).map(({ type }) => type)
      expect(types.toSorted()).toEqual(['passkey', 'password'])
      expect(JSON.stringify(await auth.factors.list(id))).not.toContain('data')
    }
    const events: unknown[] = []
    const { auth } = serve({}, { storage, events: { removeFactor: (event) => events.push(event) } })
    const passkey = await getPasskey(service, id)
    expect(await auth.factors.rename(id, passkey, 'Key')).toBe(true)
    expect(await auth.factors.remove('another', passkey)).toBe('unknown')
    expect(await auth.factors.remove(id, passkey)).toBe('removed')
    expect(await auth.factors.remove(id, passkey)).toBe('unknown')
    const { type, id: passkeyId } = passkey
    expect(events).toEqual([{ userId: id, factor: { type, id: passkeyId, name: 'Key' } }])
    expect(await auth.factors.remove(id, { type: 'password', id })).toBe('last')
  })
})

describe('the last way that works stays (I-54.4)', () => {
  test.each(['removePasskey', 'removeFactor'])('by %s', async (action) => {
    const methods = [passkeyFactor(), totp(), recoveryCodes()]
    const service = serve({}, { use: [...defaultUse, secondFactor({ methods })] })
    const { id, device } = await createAlice(service)
    const passkey = await getPasskey(service, id)
    const browser = service.browse()
    expect((await signIn(browser, device)).status).toBe(200)
    await service.storage.deleteFactor?.(id, 'password', id)
    expect(await change(browser, { action, ...passkey })).toBe(409)
    expect(await service.auth.factors.remove(id, passkey)).toBe('last')
    await service.storage.linkAccount(id, {
      ...account,
      provider: 'email',
      providerAccountId: alice,
    })
    expect(await change(browser, { action, ...passkey })).toBe(200)
  })

  test('if the passkey is of another RP ID', async () => {
    const service = serve({ rpId: 'other.example', origins: ['https://other.example'] })
    const browser = await register(service)
    const { id = '' } = { ...(await service.storage.getUserByEmail(alice)) }
    await service.storage.linkAccount(id, account)
    const related = serve({}, { storage: service.storage })
    const { id: passkeyId } = await addPasskey(browser)
    expect(passkeyId).not.toBe('')
    const here = related.browse()
    for (const [name, value] of browser.cookies) here.cookies.set(name, value)
    const page = await (await here.visit('/account')).text()
    expect(page).not.toContain('aria-label="Remove: Password"')
    expect(await change(here, { action: 'removePassword' })).toBe(409)
    expect(await related.auth.factors.remove(id, { type: 'password', id })).toBe('last')
    const own = await (await browser.visit('/account')).text()
    expect(own).toContain('aria-label="Remove: Password"')
    expect(await change(browser, { action: 'removePassword' })).toBe(200)
  })

  test('if an app is removed beside a passkey that is one factor', async () => {
    const service = serve()
    const { id } = await createAlice(service)
    await service.storage.deleteFactor?.(id, 'password', id)
    const passkey = await getPasskey(service, id)
    const factor = (await service.storage.listFactors?.(id))?.find(({ type }) => type === 'passkey')
    const data = JSON.stringify({ ...JSON.parse(factor?.data ?? ''), isVerified: false })
    await service.storage.updateFactor?.('passkey', passkey.id, factor?.version ?? '', { data })
    const times = { changedAt: 1, createdAt: 1, lastUsedAt: null }
    const app = { type: 'totp', id: 'app', name: null, data: '', ...times }
    await service.storage.createFactor?.(id, app)
    const methods = [passkeyFactor(), totp(), recoveryCodes()]
    const { auth } = serve(
      {},
      { storage: service.storage, use: [...defaultUse, secondFactor({ methods })] },
    )
    expect(await auth.factors.remove(id, app)).toBe('last')
    expect(await service.auth.factors.remove(id, app)).toBe('removed')
  })
})
