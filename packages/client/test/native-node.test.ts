import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createNativeClient } from '../src/native.ts'
import type { NativeClient, TokenStore } from '../src/native.ts'
import { fileTokenStore, loopbackBrowser } from '../src/native-node.ts'
import type { LoopbackOptions } from '../src/native-node.ts'
import { api, clientId, startAuthorizationServer } from './support/authorization-server.ts'
import type { AuthorizationServer } from './support/authorization-server.ts'

vi.mock(import('node:fs/promises'), { spy: true })

const scope = 'openid offline_access notes'
const params = { prompt: 'consent' }

let server: AuthorizationServer
let folder: string
beforeAll(async () => {
  server = await startAuthorizationServer()
  folder = await mkdtemp(join(tmpdir(), 'latchkey-native-'))
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

function createTool(options: LoopbackOptions, tokens: TokenStore): NativeClient {
  const browser = loopbackBrowser(options)
  return createNativeClient({
    issuer: server.issuer,
    clientId,
    scope,
    resource: api,
    tokens,
    browser,
  })
}

function getStore(name: string): TokenStore {
  return fileTokenStore(join(folder, name, 'tokens.json'))
}

describe('the listener on loopback (I-71.1)', () => {
  test('listens during a sign-in, at another port each time', async () => {
    const urls: URL[] = []
    const open = async (url: string): Promise<void> => {
      const returned = new URL(await server.follow(url))
      urls.push(returned)
      const page = await fetch(returned)
      expect(page.status).toBe(200)
      expect(await page.text()).toContain('You can close this window')
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none'",
      })
    }
    const { signIn, getSession } = createTool({ open }, getStore('listener'))
    expect((await signIn({ params })).claims).toMatchObject({ sub: 'alice' })
    expect(await getSession()).toBeDefined()
    await signIn({ params })
    expect(urls.map(({ hostname, pathname }) => hostname + pathname)).toEqual([
      '127.0.0.1/callback',
      '127.0.0.1/callback',
    ])
    expect(urls[0]?.port).not.toBe(urls[1]?.port)
    for (const url of urls) await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  test('waits for the response with its state', async () => {
    const found: number[] = []
    const open = async (url: string): Promise<void> => {
      const returned = await server.follow(url)
      const forged = new URL(returned)
      forged.searchParams.set('state', 'x')
      const favicon = new URL('/favicon.ico', returned)
      for (const target of [forged, `${forged.origin}/callback?error=access_denied`, favicon]) {
        found.push((await fetch(target)).status)
      }
      found.push((await fetch(returned, { method: 'POST' })).status)
      found.push((await fetch(returned)).status)
    }
    const { signIn } = createTool({ open }, getStore('state'))
    expect((await signIn({ params })).claims).toMatchObject({ sub: 'alice' })
    expect(found).toEqual([400, 400, 404, 404, 200])
  })

  test('closes connections that a browser keeps open', async () => {
    let closed: Promise<unknown> | undefined
    const open = async (url: string): Promise<void> => {
      const returned = new URL(await server.follow(url))
      const idle = connect(Number(returned.port), returned.hostname)
      await once(idle, 'connect')
      closed = once(idle, 'close')
      await fetch(returned)
    }
    await createTool({ open }, getStore('open')).signIn({ params })
    await closed
  })

  test('sends the whole page of the application', async () => {
    const html = '<p>Done'.repeat(5_000_000)
    let shown: Promise<string> | undefined
    // It does not wait, as the browser of the system does not.
    const open = async (url: string): Promise<void> => {
      shown = server.follow(url).then(async (returned) => (await fetch(returned)).text())
    }
    await createTool({ open, html }, getStore('html')).signIn({ params })
    expect(await shown).toHaveLength(html.length)
  })

  test('says if the system has no browser', async () => {
    vi.stubEnv('PATH', folder)
    try {
      const { signIn } = createTool({}, getStore('none'))
      await expect(signIn()).rejects.toThrow(/does not start: use signInByDevice/)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test.runIf(hasChromium())('shows its page in Chromium', async () => {
    const chrome = await chromium.launch(chromiumOptions)
    try {
      const page = await chrome.newPage()
      const open = (url: string): Promise<unknown> => page.goto(url)
      const { signIn } = createTool({ open }, getStore('chromium'))
      expect((await signIn({ params })).claims).toMatchObject({ sub: 'alice' })
      expect(await page.textContent('p')).toContain('You can close this window')
      expect(new URL(page.url()).hostname).toBe('127.0.0.1')
    } finally {
      await chrome.close()
    }
  })

  test('ends with the sign-in', async () => {
    const controller = new AbortController()
    let redirectUri = ''
    const open = async (url: string): Promise<void> => {
      redirectUri = new URL(url).searchParams.get('redirect_uri') ?? ''
      expect((await fetch(redirectUri)).status).toBe(400)
      controller.abort()
    }
    const { signIn } = createTool({ open }, getStore('cancelled'))
    await expect(signIn({ signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' })
    await expect(fetch(redirectUri)).rejects.toThrow('fetch failed')
    const failing = async (): Promise<void> => {
      throw new Error('no browser')
    }
    const broken = createTool({ open: failing }, getStore('cancelled'))
    await expect(broken.signIn()).rejects.toThrow('no browser')
  })

  test('refuses invalid options', () => {
    expect(loopbackBrowser({ path: '/a/b', port: 4000 }).redirectUri).toBe(
      'http://127.0.0.1:4000/a/b',
    )
    for (const path of ['callback', '/a?b', '/a#b']) {
      expect(() => loopbackBrowser({ path })).toThrow(/path must begin with/)
    }
    for (const port of [-1, 0.5, 65_536]) {
      expect(() => loopbackBrowser({ port })).toThrow(/port must be/)
    }
    expect(() => fileTokenStore('tokens.json')).toThrow(/path must be absolute/)
  })
})

/** Leaves the lock of a process that died in it some seconds ago. */
async function leaveLock(name: string, seconds: number, suffix = '.lock'): Promise<void> {
  const path = join(folder, name, `tokens.json${suffix}`)
  const time = new Date(Date.now() - seconds * 1000)
  await writeFile(path, '')
  await utimes(path, time, time)
}

describe('tokens in a file (I-71.3)', () => {
  const open = async (url: string): Promise<unknown> => fetch(await server.follow(url))

  test('can be read only by their user', async () => {
    const store = getStore('mode')
    expect(await store.get()).toBeUndefined()
    const { signIn, signOut } = createTool({ open }, store)
    await signIn({ params })
    const path = join(folder, 'mode/tokens.json')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'mode'))).mode & 0o777).toBe(0o700)
    await chmod(path, 0o644)
    await signIn({ params })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await signOut()).toEqual({ isRevoked: true })
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('are renewed by one of ten processes', async () => {
    const { signIn, getAccessToken } = createTool({ open }, getStore('processes'))
    await signIn({ params })
    const first = (await getAccessToken()) ?? ''
    server.clearRequests()
    const script = `
      const [, source, issuer, clientId, path, rejected] = process.argv
      const { createNativeClient } = await import(source + '/native.ts')
      const { fileTokenStore } = await import(source + '/native-node.ts')
      const { getAccessToken } = createNativeClient({ issuer, clientId, tokens: fileTokenStore(path) })
      console.log('ready')
      console.log(await getAccessToken(rejected))
    `
    const path = join(folder, 'processes/tokens.json')
    const source = join(import.meta.dirname, '../src')
    const args = ['--input-type=module', '-e', script, source, server.issuer, clientId, path, first]
    const processes = Array.from({ length: 10 }, () => spawn(process.execPath, args))
    const lines = processes.map(({ stdout }) => createInterface(stdout)[Symbol.asyncIterator]())
    const read = (): Promise<unknown[]> =>
      Promise.all(lines.map(async (each) => (await each.next()).value))
    // The first request waits until all processes want a token.
    const ready = read()
    server.hold = ({ url }) => (url === '/op/token' ? ready : undefined)
    const tokens = new Set(await ready.then(read))
    server.hold = undefined
    expect(tokens.size).toBe(1)
    expect(tokens.has(first)).toBe(false)
    expect(server.countRequests('POST /op/token')).toBe(1)
    expect(await getAccessToken(first)).toBe([...tokens][0])
  })

  test('are locked for other stores of the same file', async () => {
    const [one, two] = [getStore('order'), getStore('order')]
    const order: string[] = []
    const work = async (name: string, store: TokenStore): Promise<void> => {
      order.push(`${name} begins`)
      // More work on the disk than the other one needs to begin.
      for (let i = 0; i < 20; i++) await store.get()
      order.push(`${name} ends`)
    }
    await Promise.all([one.lock?.(() => work('one', one)), two.lock?.(() => work('two', two))])
    const [begun = ''] = order[0]?.split(' ') ?? []
    expect(order.slice(0, 2)).toEqual([`${begun} begins`, `${begun} ends`])
    expect(order).toHaveLength(4)
    const broken = async (): Promise<void> => {
      throw new Error('the work failed')
    }
    await expect(one.lock?.(broken)).rejects.toThrow('the work failed')
    await two.lock?.(() => work('three', two))
    expect(order).toHaveLength(6)
  })

  /** Work in a lock that takes longer than the pause between two tries. */
  function createWork(): {
    readonly order: string[]
    readonly work: (name: string) => Promise<void>
  } {
    const order: string[] = []
    const work = async (name: string): Promise<void> => {
      order.push(`${name} begins`)
      await new Promise((resolve) => setTimeout(resolve, 150))
      order.push(`${name} ends`)
    }
    return { order, work }
  }

  test('are locked by one of two processes that find the lock of a third that died', async () => {
    const [quick, slow] = [getStore('died'), getStore('died')]
    const { order, work } = createWork()
    await slow.lock?.(() => work('third'))
    await leaveLock('died', 61)
    let ended: Promise<void> | undefined
    // The slow process continues only after the quick one has replaced the lock.
    vi.mocked(stat).mockImplementationOnce(async (path) => {
      const found = await stat(path)
      await new Promise<void>((begin) => {
        ended = quick.lock?.(() => (begin(), work('quick')))
      })
      return found
    })
    await slow.lock?.(() => work('slow'))
    await ended
    expect(order).toEqual(
      ['third', 'quick', 'slow'].flatMap((name) => [`${name} begins`, `${name} ends`]),
    )
    expect(await readdir(join(folder, 'died'))).toEqual([])
  })

  test('stay locked if a process that took too long ends', async () => {
    const [late, second, third] = [getStore('late'), getStore('late'), getStore('late')]
    const { order, work } = createWork()
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      let ended: Promise<void> | undefined
      await late.lock?.(async () => {
        order.push('late begins')
        vi.setSystemTime(Date.now() + 61_000)
        await new Promise<void>((begin) => {
          ended = second.lock?.(() => (begin(), work('second')))
        })
        order.push('late ends')
      })
      vi.useRealTimers()
      await third.lock?.(() => work('third'))
      await ended
      expect(order).toEqual([
        'late begins',
        'second begins',
        'late ends',
        'second ends',
        'third begins',
        'third ends',
      ])
      expect(await readdir(join(folder, 'late'))).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  })

  test('are not locked for longer than a minute by a process that died', async () => {
    const { signIn, getAccessToken } = createTool({ open }, getStore('lock'))
    await signIn({ params })
    const first = await getAccessToken()
    await leaveLock('lock', 0)
    const renewed = getAccessToken(first)
    const state = { isSettled: false }
    renewed.finally(() => (state.isSettled = true)).catch(() => undefined)
    await new Promise((resolve) => setImmediate(resolve))
    expect(state.isSettled).toBe(false)
    // Another process has died while it removed the lock of the first one.
    await leaveLock('lock', 61, '.lock.stale')
    await leaveLock('lock', 61)
    expect(await renewed).not.toBe(first)
    expect(await readdir(join(folder, 'lock'))).toEqual(['tokens.json'])
  })
})
