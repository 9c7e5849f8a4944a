import { readFileSync } from 'node:fs'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { getFreePort } from '@latchkey/test-support/servers'
import { chromium } from 'playwright-core'
import type { Browser as ChromiumBrowser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RunningProgram } from '../../internal/hosts/src/process.ts'
import { build, checkTypes, createFolder, removeFolder } from './support/application.ts'
import type { Build, Environment } from './support/application.ts'
import { LoadBalancer, User, origin } from './support/deployment.ts'
import { client, startGitHubServer } from './support/github-server.ts'
import type { GitHubServer } from './support/github-server.ts'
import { applyGuide, guideChanges } from './support/guide.ts'

const DAY_MS = 86_400_000

let folder: string
let github: GitHubServer
let before: Build
let after: Build
/** The variables of both deployments: this test never removes the variables of the previous one. */
let env: Environment

beforeAll(async () => {
  folder = await createFolder()
  github = await startGitHubServer()
  ;[before, after] = await Promise.all([
    build(folder, 'before', () => undefined),
    build(folder, 'after', applyGuide),
  ])
  env = {
    NEXTAUTH_URL: origin,
    NEXTAUTH_SECRET: 'the secret of next-auth v4',
    SERVICE_URL: origin,
    AUTH_SECRET: 'the new secret, of thirty-two bytes or more',
    IMPORT_UNTIL: new Date(Date.now() + 30 * DAY_MS).toISOString(),
    GITHUB_URL: github.url,
    GITHUB_ID: client.clientId,
    GITHUB_SECRET: client.clientSecret,
  }
})

afterAll(async () => {
  await github?.[Symbol.asyncDispose]()
  await removeFolder(folder)
})

describe('the guide', () => {
  test('prints every change', () => {
    const page = new URL('../../../apps/docs/pages/migration/next-auth-v4.md', import.meta.url)
    const [, names = ''] = /\/changes\/\{(\S+)\}\.diff-->/.exec(readFileSync(page, 'utf8')) ?? []
    const printed = names.split(',').map((name) => `${name}.diff`)
    expect(printed.toSorted()).toEqual(guideChanges.toSorted())
  })

  test('does not change the files of the client', () => {
    const changed = guideChanges.map((file) =>
      readFileSync(new URL(`changes/${file}`, import.meta.url), 'utf8'),
    )
    expect(changed.filter((text) => text.includes('next-auth/react'))).toEqual([])
  })

  test('has no type error, before and after', async () => {
    await checkTypes(before.folder)
    await checkTypes(after.folder)
  })
})

const octocat = { id: '583231', role: 'admin' }

/** Returns the access token that the application last sent to GitHub. */
function getSentToken(): string | undefined {
  const request = github.issuer.requests.findLast(({ endpoint }) => endpoint === 'api')
  return request?.headers.get('authorization')?.replace('Bearer ', '')
}

/** Checks all that the application shows of a user who is signed in. Returns the access token. */
async function expectSignedIn(user: User): Promise<string> {
  const members = await user.open('/members')
  expect(members.text).toContain('Member 583231: The Octocat, admin')
  expect((await user.open('/report')).text).toContain('Report of 583231')
  expect((await user.open('/admin')).text).toContain('Settings')
  const profile = JSON.parse((await user.open('/api/profile')).text) as unknown
  expect(profile).toMatchObject({ ...octocat, profile: { login: 'octocat' } })
  const token = getSentToken()
  expect(await user.getSession()).toMatchObject({ user: { ...octocat, name: 'The Octocat' } })
  return token ?? ''
}

/** Checks that the proxy protects the pages of a user who is signed out. */
async function expectSignedOut(user: User): Promise<void> {
  for (const path of ['/members', '/report', '/admin']) {
    const { status, location } = await user.open(path)
    expect([302, 307]).toContain(status)
    const { pathname, searchParams } = new URL(location ?? '', origin)
    expect([pathname, searchParams.get('callbackUrl')]).toEqual(['/signin', path])
  }
  expect((await user.open('/api/profile')).status).toBe(401)
  expect(await user.getSession()).toEqual({})
}

const V4_COOKIE = '__Secure-next-auth.session-token'
const COOKIE = '__Host-latchkey.session'

test('a user stays signed in, with the same id, role and access token', async () => {
  const balancer = new LoadBalancer()
  const user = new User(balancer)
  let accessToken: string
  {
    await using running = await before.start(env)
    balancer.instances = [running]
    await expectSignedOut(user)
    expect((await user.signIn()).status).toBe(200)
    accessToken = await expectSignedIn(user)
    expect(accessToken).not.toBe('')
    expect(user.sessionCookies).toEqual([V4_COOKIE])
    expect(running.output()).toContain('signed in: 583231')
  }
  await using running = await after.start(env)
  balancer.instances = [running]
  expect(await expectSignedIn(user)).toBe(accessToken)
  expect(user.sessionCookies).toEqual([COOKIE])
  expect(await expectSignedIn(user)).toBe(accessToken)
  await user.signOut()
  await expectSignedOut(user)
  expect((await user.signIn()).status).toBe(200)
  expect(await expectSignedIn(user)).not.toBe(accessToken)
  expect(user.sessionCookies).toEqual([COOKIE])
  expect(running.output()).toContain('signed in: 583231')
})

describe('two deployments', () => {
  let old: RunningProgram
  let current: RunningProgram
  let balancer: LoadBalancer

  beforeAll(async () => {
    old = await before.start(env)
    current = await after.start(env)
  })

  beforeEach(() => {
    balancer = new LoadBalancer()
  })

  afterAll(async () => {
    await old?.[Symbol.asyncDispose]()
    await current?.[Symbol.asyncDispose]()
  })

  /** Returns a user who has signed in to v4. */
  async function createUserOfV4(): Promise<User> {
    balancer.instances = [old]
    const user = new User(balancer)
    await user.signIn()
    expect(user.sessionCookies).toEqual([V4_COOKIE])
    return user
  }

  test('after a rollback, people who have visited meanwhile sign in again, with the same id', async () => {
    const [visitor, absent] = [await createUserOfV4(), await createUserOfV4()]
    balancer.instances = [current]
    const newcomer = new User(balancer)
    await newcomer.signIn()
    await expectSignedIn(visitor)

    balancer.instances = [old]
    await expectSignedIn(absent)
    for (const user of [visitor, newcomer]) {
      await expectSignedOut(user)
      expect(user.sessionCookies).toEqual([COOKIE])
    }
    expect((await visitor.signIn()).status).toBe(200)
    await expectSignedIn(visitor)

    balancer.instances = [current]
    for (const user of [visitor, newcomer, absent]) await expectSignedIn(user)
    await visitor.signOut()
    expect(visitor.sessionCookies).toEqual([])
  })

  test('after a rollback and a sign-out, the session of the first attempt counts again', async () => {
    const user = await createUserOfV4()
    balancer.instances = [current]
    await expectSignedIn(user)
    balancer.instances = [old]
    await user.signIn()
    await user.signOut()
    await expectSignedOut(user)
    balancer.instances = [current]
    await expectSignedIn(user)
  })

  test('with old and new instances side by side, first the new ones have the user, then all of them', async () => {
    const user = await createUserOfV4()
    balancer.instances = [old, current]
    const read = async (): Promise<unknown> => (await user.getSession())['user'] ?? null
    // The second request replaces the cookie.
    const sessions = [await read(), await read(), await read(), await read()]
    const found = expect.objectContaining(octocat) as unknown
    expect(sessions).toEqual([found, found, null, found])
    expect(user.sessionCookies).toEqual([COOKIE])
    balancer.instances = [current]
    await expectSignedIn(user)
  })

  test('page requests replace no cookie: both kinds of instances have the user', async () => {
    const user = await createUserOfV4()
    balancer.instances = [old, current]
    for (let i = 0; i < 4; i++) {
      expect((await user.open('/members')).text).toContain('Member 583231: The Octocat, admin')
    }
  })

  test('a sign-in that began before the switch fails, and works when it is repeated', async () => {
    balancer.instances = [old]
    const user = new User(balancer)
    const callback = await user.beginSignIn()
    balancer.instances = [current]
    const response = await user.browser.visit(callback)
    const { pathname, searchParams } = new URL(response.headers.get('location') ?? '', origin)
    expect([response.status, pathname]).toEqual([302, '/signin'])
    expect(searchParams.get('error')).toBe('OAuthCallback')
    await expectSignedOut(user)
    await user.signIn()
    await expectSignedIn(user)
  })

  test('a sign-out on an old instance leaves the session, one on a new instance ends both', async () => {
    const user = await createUserOfV4()
    balancer.instances = [current]
    await expectSignedIn(user)
    balancer.instances = [old]
    await user.signIn()
    expect(user.sessionCookies.toSorted()).toEqual([COOKIE, V4_COOKIE])
    await user.signOut()
    expect(user.sessionCookies).toEqual([COOKIE])
    await user.signIn()
    balancer.instances = [current]
    await user.signOut()
    expect(user.sessionCookies).toEqual([])
  })

  test('when the import has ended, cookies of v4 are ignored', async () => {
    const user = await createUserOfV4()
    await using ended = await after.start({ ...env, IMPORT_UNTIL: '2020-01-01' })
    balancer.instances = [ended]
    await expectSignedOut(user)
  })
})

describe.runIf(hasChromium())('in Chromium', () => {
  let chrome: ChromiumBrowser

  beforeAll(async () => {
    chrome = await chromium.launch(chromiumOptions)
  })

  afterAll(() => chrome?.close())

  test('the unchanged client signs in, stays signed in, signs out and signs in again', async () => {
    const port = await getFreePort('localhost')
    const url = `http://localhost:${port}`
    const local = { ...env, NEXTAUTH_URL: url, SERVICE_URL: url }
    await using context = await chrome.newContext()
    const page = await context.newPage()
    const account = page.getByText('583231 The Octocat admin')
    {
      await using running = await before.start(local, port)
      await page.goto(running.url)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await account.waitFor()
    }
    await using running = await after.start(local, port)
    // The tab is still open: it reads the session when it becomes visible.
    const read = page.waitForResponse('**/api/auth/session')
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(await (await read).json()).toMatchObject({ user: octocat })
    await page.reload()
    await account.waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.goto(new URL('/members', running.url).href)
    await page.getByRole('button', { name: 'Continue with GitHub' }).click()
    await page.getByText('Member 583231: The Octocat, admin').waitFor()
  })
})
