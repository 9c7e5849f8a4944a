import { deviceFlow } from '@latchkey/authorization-server'
import type { AuthorizationServerOptions } from '@latchkey/authorization-server'
import { checkboxRules } from '@latchkey/core/capability/pages'
import { passkeys } from '@latchkey/passkeys'
import { secondFactor } from '@latchkey/second-factor'
import { decodeJwt } from 'jose'
import type { JWTPayload } from 'jose'
import { describe, expect, test } from 'vitest'
import { signIn } from '../../core/test/support/service.ts'
import {
  addPasskey,
  answer as answerPasskey,
  ask as askForPasskey,
} from '../../passkeys/test/support/service.ts'
import {
  enrol,
  numbers,
  present,
  prove,
  spare,
} from '../../second-factor/test/support/second-factor.ts'
import { askForCode, enter, tool } from './support/device.ts'
import {
  createPkce,
  issuer,
  origin,
  publicClient,
  readTokens,
  redirectUri,
  serve,
  toAuthorize,
} from './support/server.ts'
import type { TestServer } from './support/server.ts'

/** Serves an authorization server whose users can have a second factor. */
function serveSecond(server: Partial<AuthorizationServerOptions>): TestServer {
  return serve({
    config: { providers: [present] },
    others: [secondFactor({ methods: [numbers, spare], rememberFor: 3600 })],
    server: { clients: [{ ...publicClient, grants: ['authorization_code'] }], ...server },
  })
}

test('a user who needs a second factor gets no code before it (I-65.5)', async () => {
  const server = serveSecond({ consent: () => 'granted' })
  const [owner, browser] = [server.browse(), server.browse()]
  const page = await (await owner.visit('/signin')).text()
  expect(page.split(checkboxRules), 'the rules that both give').toHaveLength(2)
  await signIn(owner)
  const { secret } = await enrol(owner)
  const request = toAuthorize(createPkce().challenge)
  const begun = new URL((await browser.visit(request)).headers.get('location') ?? '')
  const { search } = new URL(begun.searchParams.get('callbackUrl') ?? '')
  await signIn(browser)
  for (const path of [request, `/authorize${search}`, `/consent${search}`]) {
    const { status, headers } = await browser.visit(path)
    const { origin: to, pathname } = new URL(headers.get('location') ?? '')
    expect([path, status, to, pathname]).toEqual([path, 302, origin, '/api/auth/signin'])
  }
  const silent = await browser.visit(`${request}&prompt=none`)
  expect(silent.headers.get('location')).toContain('error=login_required')
  await prove(browser, `${secret}-2`)
  expect(await (await browser.visit(`/authorize${search}`)).text()).toContain('code=')
})

describe('acr_values (RFC 9470)', () => {
  const pkce = createPkce()
  const ask = (acr_values: string, over = {}): string =>
    toAuthorize(pkce.challenge, { acr_values, ...over })
  const getAnswer = (response: Response): URL => new URL(response.headers.get('location') ?? '')

  const create = (over: Partial<AuthorizationServerOptions> = {}): TestServer =>
    serveSecond({ consent: () => 'granted', acr: { silver: 1, gold: 2 }, ...over })

  /** Redeems the code of an answer, and returns the claims of the access token. */
  async function readClaims({ post }: TestServer, answer: URL): Promise<JWTPayload> {
    const reply = await post('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: publicClient.id,
      code: answer.searchParams.get('code') ?? '',
      code_verifier: pkce.verifier,
      redirect_uri: redirectUri,
    })
    return decodeJwt((await readTokens(reply)).access_token)
  }

  test('asks a user who has a second factor for it, also in a browser that spares it', async () => {
    const server = create()
    const browser = server.browse()
    await signIn(browser)
    const { secret } = await enrol(browser)
    // The first second factor ends what began before.
    server.wait(1)
    await browser.submit('/signout', {})
    await signIn(browser)
    await prove(browser, `${secret}-2`, { remember: 'true' })
    await browser.submit('/signout', {})
    await signIn(browser)
    const one = getAnswer(await browser.visit(ask('gold silver')))
    expect(await readClaims(server, one)).toMatchObject({ amr: ['fed'], acr: 'silver' })
    const silent = getAnswer(await browser.visit(ask('gold', { prompt: 'none' })))
    expect(silent.searchParams.get('error')).toBe('interaction_required')
    const asked = getAnswer(await browser.visit(ask('unknown gold')))
    expect(asked.searchParams.get('confirm')).toBe('true')
    const callbackUrl = asked.searchParams.get('callbackUrl') ?? ''
    await signIn(browser, 'alice', { confirm: 'true', callbackUrl })
    await prove(browser, `${secret}-3`)
    const page = await (await browser.visit(callbackUrl)).text()
    const [, url = ''] = /url=([^"]*code=[^"]*)"/.exec(page) ?? []
    const both = new URL(url.replaceAll('&amp;', '&'))
    expect(await readClaims(server, both)).toMatchObject({ acr: 'gold' })
  })

  test('asks a user with a passkey that is both factors once: a password session becomes one of two', async () => {
    const server = serve({
      config: { providers: [present, passkeys()] },
      server: {
        clients: [{ ...publicClient, grants: ['authorization_code'] }],
        consent: () => 'granted',
      },
    })
    const browser = server.browse()
    await signIn(browser)
    const device = await addPasskey(browser)
    const getConfirmation = async (): Promise<string> => {
      const asked = getAnswer(await browser.visit(ask('2fa')))
      expect(asked.searchParams.get('confirm')).toBe('true')
      return asked.searchParams.get('callbackUrl') ?? ''
    }
    const toFirst = await getConfirmation()
    await signIn(browser, 'alice', { confirm: 'true', callbackUrl: toFirst })
    const half = await (await browser.visit(toFirst)).text()
    expect(half).toContain('error=unmet_authentication_requirements')

    const callbackUrl = await getConfirmation()
    const { publicKey } = await askForPasskey(browser, { confirm: 'true' })
    const confirmed = await answerPasskey(browser, await device.get(publicKey), { callbackUrl })
    expect(confirmed.status).toBe(200)
    const page = await (await browser.visit(callbackUrl)).text()
    const [, url = ''] = /url=([^"]*code=[^"]*)"/.exec(page) ?? []
    const both = new URL(url.replaceAll('&amp;', '&'))
    expect(await readClaims(server, both)).toMatchObject({ acr: '2fa' })
  })

  test('is refused for a user who has none; unknown names ask for nothing', async () => {
    const browser = create().browse()
    await signIn(browser)
    const unknown = getAnswer(await browser.visit(ask('platinum constructor')))
    expect(unknown.searchParams.has('code')).toBe(true)
    const refused = getAnswer(await browser.visit(ask('gold')))
    expect(refused.searchParams.get('error')).toBe('unmet_authentication_requirements')
    expect(refused.searchParams.get('iss')).toBe(issuer)
  })

  test.each([
    ['no name of one factor', { gold: 2 }],
    ['a name with a space', { 'a b': 1 }],
    ['three factors', { silver: 1, gold: 3 }],
    ['a list', ['silver']],
  ])('the option refuses %s', (_, acr) => {
    expect(() => create({ acr: { any: 1 } })).not.toThrow()
    const wrong = acr as unknown as Record<string, 1 | 2>
    expect(() => create({ acr: wrong })).toThrow('authorizationServer.acr: must have names')
  })
})

test('a user who needs a second factor approves no device before it (I-68)', async () => {
  const server = serveSecond({
    clients: [{ ...tool, deviceScopes: ['notes:read'] }],
    device: deviceFlow(),
  })
  const { user_code: userCode } = await askForCode(server)
  const [owner, browser] = [server.browse(), server.browse()]
  const page = await (await owner.visit('/signin')).text()
  expect(page.split(checkboxRules), 'the rules that both give').toHaveLength(2)
  await signIn(owner)
  const { secret } = await enrol(owner)
  await signIn(browser)
  for (const reply of [
    await browser.visit(`/device?user_code=${userCode}`),
    await enter(browser, userCode),
    await browser.submit('/device', { user_code: userCode, decision: 'allow' }),
  ]) {
    expect(new URL(reply.headers.get('location') ?? '').pathname).toBe('/api/auth/signin')
  }
  await prove(browser, `${secret}-2`)
  expect(await (await enter(browser, userCode)).text()).toContain('asks for access')
})
