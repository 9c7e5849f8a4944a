import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { getFreePort } from '@latchkey/test-support/servers'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client'
import { chromium } from 'playwright-core'
import type { Page } from 'playwright-core'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createFolder, latchkey, linkPackages } from './support/command-line.ts'

const { folder, remove } = createFolder()
afterAll(remove)

/** Nothing listens there. */
const redirectUrl = `http://localhost:${await getFreePort('localhost')}/callback`
const address = 'bob@example.com'

type WaitForOutput = (pattern: RegExp) => Promise<RegExpExecArray>

/** What an MCP client keeps, and where it sends its user. */
interface State {
  client?: OAuthClientInformationMixed
  discovery?: OAuthDiscoveryState
  tokens?: OAuthTokens
  url?: URL
  verifier?: string
}

function createProvider(state: State): OAuthClientProvider {
  return {
    redirectUrl,
    clientMetadata: { client_name: 'Notes', redirect_uris: [redirectUrl] },
    clientInformation: () => state.client,
    saveClientInformation: (client) => void (state.client = client),
    discoveryState: () => state.discovery,
    saveDiscoveryState: (discovery) => void (state.discovery = discovery),
    tokens: () => state.tokens,
    saveTokens: (tokens) => void (state.tokens = tokens),
    redirectToAuthorization: (url) => void (state.url = url),
    invalidateCredentials: () => void delete state.tokens,
    codeVerifier: () => state.verifier ?? '',
    saveCodeVerifier: (verifier) => void (state.verifier = verifier),
  }
}

/** Adds a passkey device. Returns what makes its user touch it, or not, whenever the page asks. */
async function addAuthenticator(page: Page): Promise<(enabled: boolean) => Promise<unknown>> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
  return (enabled) =>
    session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
}

/** Signs the user in by email, once, and creates a passkey on the page that follows. */
async function createPasskey(page: Page, origin: string, waitFor: WaitForOutput): Promise<void> {
  await page.goto(`${origin}/api/auth/signin`)
  await page.locator('input[name=email]').fill(address)
  await page.locator('form:has(input[name=email]) button').click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  const [link] = await waitFor(/https?:\/\/\S+\/callback\/email\?\S+(?=\s)/)
  await page.goto(link)
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await page.waitForURL(`${origin}/`)
  await page.context().clearCookies()
}

async function allowAndRemove(
  page: Page,
  origin: string,
  touch: (enabled: boolean) => Promise<unknown>,
): Promise<readonly string[]> {
  const state: State = {}
  const authProvider = createProvider(state)
  const createTransport = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider })
  const call = async (): Promise<string> => {
    const client = new Client({ name: 'notes', version: '1' })
    await client.connect(createTransport())
    const { content } = await client.callTool({ name: 'whoami' })
    await client.close()
    return JSON.stringify(content)
  }
  const isAsked = async (): Promise<boolean> =>
    call().then(
      () => false,
      (thrown: unknown) => thrown instanceof UnauthorizedError,
    )
  const pressed: string[] = []
  const press = async (name: string): Promise<void> => {
    await page.getByRole('button', { name }).first().click()
    pressed.push(name)
  }
  expect(await isAsked()).toBe(true)
  // The page asks for a passkey by itself, for the browser to offer: the person does not take it, and presses the button.
  await touch(false)
  const offered = page.waitForResponse(`${origin}/api/auth/signin/passkey`)
  await page.goto(state.url?.href ?? '')
  await offered
  await page.waitForTimeout(500)
  await touch(true)
  await press('Sign in with a passkey')
  const answered = page.waitForRequest(`${redirectUrl}?*`)
  await press('Allow')
  const callback = new URL((await answered).url())
  // Nothing listens where the client would: the browser goes to a page of its own.
  await page.waitForURL('chrome-error://chromewebdata/')
  await createTransport().finishAuth(callback.searchParams)
  expect(await call()).toContain(address)
  await page.goto(`${origin}/api/auth/account`)
  await press('Remove access')
  await page.waitForLoadState()
  // The access token lives for ten minutes more: the next refresh is refused.
  state.tokens = { token_type: 'Bearer', ...state.tokens, access_token: 'expired' }
  expect(await isAsked()).toBe(true)
  return pressed
}

/** Creates the project, and serves it as `npm run dev` does, on a free port, until the test has finished. */
async function start(): Promise<{
  readonly origin: string
  readonly waitFor: WaitForOutput
}> {
  expect(await latchkey(folder, ['init', 'my-mcp', '--mcp'])).toMatchObject({ code: 0 })
  const project = join(folder, 'my-mcp')
  linkPackages(project)
  const port = String(await getFreePort('localhost'))
  for (const name of ['.dev.vars', 'wrangler.jsonc']) {
    const file = join(project, name)
    writeFileSync(file, readFileSync(file, 'utf8').replace('8787', port))
  }
  const env = { ...process.env, CI: '1', CLOUDFLARE_CF_FETCH_ENABLED: 'false', HOME: folder }
  const options = { cwd: project, env, shell: true, detached: true } as const
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  const child = spawn(`PATH="node_modules/.bin:$PATH"; ${scripts.dev}`, options)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  }
  const waitFor: WaitForOutput = async (pattern) => {
    await expect.poll(() => output, { timeout: 180_000 }).toMatch(pattern)
    return pattern.exec(output) as RegExpExecArray
  }
  const ended = once(child, 'close')
  onTestFinished(async () => {
    process.kill(-Number(child.pid), 'SIGTERM')
    await ended
  })
  await waitFor(/Ready on/)
  return { origin: `http://localhost:${port}`, waitFor }
}

test.runIf(hasChromium())(
  'an MCP client connects to a new project: a passkey, consent, a tool, and again after the access is removed',
  async () => {
    const began = performance.now()
    const { origin, waitFor } = await start()
    const browser = await chromium.launch(chromiumOptions)
    try {
      const page = await (await browser.newContext({ locale: 'en' })).newPage()
      const touch = await addAuthenticator(page)
      await createPasskey(page, origin, waitFor)
      const pressed = await allowAndRemove(page, origin, touch)
      expect(pressed).toEqual(['Sign in with a passkey', 'Allow', 'Remove access'])
      const seconds = Math.round((performance.now() - began) / 1000)
      console.log(`${seconds} s from the command, ${pressed.length} presses`)
    } finally {
      await browser.close()
    }
  },
  300_000,
)
