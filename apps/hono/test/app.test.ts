import { generateTokenKey } from '@latchkey/tokens/token-key'
import type { RunningServer } from '@latchkey/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFreePort } from '@latchkey/test-support/servers'
import { startIdentityProvider } from '../src/identity-provider.ts'
import { hosts } from './support/hosts.ts'
import type { Running, Variables } from './support/hosts.ts'
import { Person, origin } from './support/person.ts'

let variables: Variables
let provider: RunningServer

beforeAll(async () => {
  const started = await startIdentityProvider(origin, await getFreePort('localhost'))
  provider = started.server
  const secret = 'a secret of thirty-two bytes or more'
  const keys = { TOKEN_KEYS: JSON.stringify([await generateTokenKey()]) }
  variables = { SERVICE_URL: origin, AUTH_SECRET: secret, ...keys, ...started.variables }
})

afterAll(() => provider.stop(0))

describe.each(hosts)('the application $name', ({ start }) => {
  let running: Running
  const createPerson = (): Person => new Person((request) => running.handler(request))

  beforeAll(async () => {
    running = await start(variables)
  })
  afterAll(() => running.stop())

  test('shows the public page without a session', async () => {
    const response = await createPerson().visit('/')
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('<a href="/api/auth/signin">Sign in</a>')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('referrer-policy')).toBe('same-origin')
    expect(response.headers.get('cache-control')).toBe('private, no-cache')
  })

  test('redirects from the private page to the sign-in page, and back after the sign-in', async () => {
    const alice = createPerson()
    const response = await alice.visit('/notes')
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe('/api/auth/signin?callbackUrl=%2Fnotes')
    expect(await alice.signIn('Alice', '/notes')).toBe(`${origin}/notes`)
    expect(await alice.read('/notes')).toContain('<h1>Notes of Alice Example</h1>')
  })

  test('the sign-in page has the headers of the service', async () => {
    const { headers } = await createPerson().visit('/api/auth/signin')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('content-security-policy')).toContain("style-src 'sha256-")
    expect(headers.get('cache-control')).toBe('private, no-store')
  })

  test('a note is stored, shown only to its author, and deleted', async () => {
    const [alice, bob] = [createPerson(), createPerson()]
    await alice.signIn('Alice')
    await bob.signIn('Bob')
    const sent = await alice.send('/notes', { text: '  <b>buy milk</b> ' })
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/notes'])
    expect(await alice.read('/notes')).toContain('<span>&lt;b&gt;buy milk&lt;/b&gt;</span>')
    expect(await bob.read('/notes')).not.toContain('milk')

    const [note] = (await (await alice.visit('/api/notes')).json()) as {
      id: number
      text: string
    }[]
    expect(note).toMatchObject({ text: '<b>buy milk</b>', createdAt: expect.any(Number) })
    expect(await (await bob.visit('/api/notes')).json()).toEqual([])
    await bob.send(`/notes/${note?.id}/delete`)
    expect(await (await alice.visit('/api/notes')).json()).toHaveLength(1)
    expect((await alice.send(`/notes/${note?.id}/delete`)).status).toBe(303)
    expect(await (await alice.visit('/api/notes')).json()).toEqual([])
  })

  test('the newest note comes first, in every browser of the user', async () => {
    const [here, there] = [createPerson(), createPerson()]
    await here.signIn('Bob')
    await there.signIn('Bob')
    await here.send('/notes', { text: 'first' })
    await there.send('/notes', { text: 'second' })
    const notes = (await (await here.visit('/api/notes')).json()) as { text: string }[]
    expect(notes.map(({ text }) => text)).toEqual(['second', 'first'])
  })

  test('the API refuses in JSON, whatever the Accept header', async () => {
    const response = await createPerson().visit('/api/notes', { accept: 'text/html' })
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ error: 'SessionRequired', message: 'Sign in first.' })
  })

  test('refuses forms of other sites, and forms without an origin', async () => {
    const alice = createPerson()
    await alice.signIn('Alice')
    const { browser } = alice
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      {},
    ]) {
      const response = await browser.post(`${origin}/notes`, { text: 'forged' }, { headers })
      expect(response.status).toBe(403)
    }
    expect(await alice.read('/notes')).not.toContain('forged')
  })

  test('a form without a session is not stored, and redirects to the sign-in page', async () => {
    const response = await createPerson().send('/notes', { text: 'mine?' })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/api/auth/signin')
  })

  test.each([
    ['', 400],
    ['   ', 400],
    ['x'.repeat(1001), 400],
    ['x'.repeat(17_000), 413],
  ])('an empty or too long note is refused (%#)', async (text, status) => {
    const alice = createPerson()
    await alice.signIn('Alice')
    expect((await alice.send('/notes', { text })).status).toBe(status)
    expect(await (await alice.visit('/api/notes')).json()).toEqual([])
  })

  test('sign-out ends the session, and deletes it from the database', async () => {
    const alice = createPerson()
    await alice.signIn('Alice')
    const before = await running.query('SELECT id FROM latchkey_sessions')
    await alice.browser.submit('/signout')
    expect(await running.query('SELECT id FROM latchkey_sessions')).toHaveLength(before.length - 1)
    expect((await alice.visit('/notes')).status).toBe(302)
    expect(await alice.read('/')).toContain('Sign in')
  })

  test('every page of the application renews the session', async () => {
    const alice = createPerson()
    await alice.signIn('Alice')
    await running.query('UPDATE latchkey_sessions SET renewed_at = renewed_at - 200000')
    const response = await alice.visit('/notes')
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^latchkey\.session=/)])
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect((await alice.visit('/notes')).headers.getSetCookie()).toEqual([])
  })

  test('the API takes a token of the service, and no session', async () => {
    const alice = createPerson()
    expect((await alice.visit('/v1/notes')).status).toBe(401)
    await alice.signIn('Alice')
    expect((await alice.visit('/v1/notes')).status).toBe(401)
    await alice.send('/notes', { text: 'for programs too' })
    const issued = await (await alice.browser.submit('/token')).json()
    const { token } = issued as { token: string }
    const stranger = createPerson()
    const response = await stranger.visit('/v1/notes', { authorization: `Bearer ${token}` })
    expect(await response.json()).toContainEqual(
      expect.objectContaining({ text: 'for programs too' }),
    )
    expect((await stranger.visit('/v1/notes', { authorization: 'Bearer x' })).status).toBe(401)
  })

  test('the notes of a deleted user are deleted', async () => {
    const bob = createPerson()
    await bob.signIn('Bob')
    await bob.send('/notes', { text: 'last words' })
    await running.query(`PRAGMA foreign_keys = ON`)
    await running.query(`DELETE FROM latchkey_users WHERE name = 'Bob Example'`)
    expect(await running.query(`SELECT * FROM notes WHERE text = 'last words'`)).toEqual([])
    expect((await bob.visit('/notes')).status).toBe(302)
  })

  test('an unknown path is 404, and the style sheet is cacheable', async () => {
    expect((await createPerson().visit('/nowhere')).status).toBe(404)
    const style = await createPerson().visit('/style.css')
    expect(style.headers.get('cache-control')).toBe('public, max-age=3600')
    expect(style.headers.get('content-type')).toContain('text/css')
  })
})
