import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Browser } from '@latchkey/core/testing/browser'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { finishEnrolment, prove } from '../../../totp/test/support/sign-in.ts'
import { bundleProgram } from '../src/bundle.ts'

const STEP_MS = 30_000

/** What GitHub answers during a sign-in. */
const answers: Readonly<Record<string, unknown>> = {
  '/login/oauth/access_token': { access_token: 'gho_1', token_type: 'bearer', scope: 'user' },
  '/api/v3/user': { id: 583231, login: 'ada', name: 'Ada', email: null, avatar_url: null },
  '/api/v3/user/emails': [{ email: 'ada@example.com', primary: true, verified: true }],
}

let gitHub: Server
let miniflare: Miniflare
let base: string

beforeAll(async () => {
  gitHub = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answers[request.url ?? '']))
  }).listen(0, '127.0.0.1')
  await once(gitHub, 'listening')
  const address = gitHub.address()
  if (typeof address !== 'object' || address === null) throw new Error('expected a port')
  const path = fileURLToPath(new URL('support/second-factor-worker.ts', import.meta.url))
  await using program = await bundleProgram('worker', path)
  const contents = await readFile(program.path, 'utf8')
  miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents }],
    compatibilityDate: '2026-07-01',
    d1Databases: ['DB'],
    bindings: { GITHUB_URL: `http://127.0.0.1:${address.port}` },
  })
  base = `${(await miniflare.ready).origin}/api/auth`
})

afterAll(async () => {
  await miniflare.dispose()
  gitHub.close()
})

/** Proves to be a user of GitHub, and returns where the callback leads. */
async function visitGitHub(browser: Browser): Promise<string | null> {
  const away = await browser.submit('/signin/github')
  const { searchParams } = new URL(away.headers.get('location') ?? '')
  const callback = new URL(searchParams.get('redirect_uri') ?? '')
  callback.searchParams.set('code', 'a-code')
  callback.searchParams.set('state', searchParams.get('state') ?? '')
  return (await browser.visit(callback.href)).headers.get('location')
}

test('workerd with D1, without nodejs_compat: a user of GitHub enrols, and signs in with an app and with a recovery code', async () => {
  const browse = (): Browser => new Browser((request) => fetch(request), base)
  const secondPage = `${base}/signin?second=true`
  const first = browse()
  await visitGitHub(first)
  expect(await first.json('/session')).toMatchObject({ user: { name: 'Ada' } })
  const begun = await first.submit('/signin/totp', { link: 'true' })
  expect(begun.headers.get('location')).toBe(secondPage)
  const now = Date.now()
  const { app, codes } = await finishEnrolment(first, now)
  expect(codes).toHaveLength(10)

  const second = browse()
  expect(await visitGitHub(second)).toBe(secondPage)
  expect(await second.json('/session')).toEqual({})
  expect(await prove(second, 'totp', app.generate({ timestamp: now }))).toEqual([401, false])
  const next = app.generate({ timestamp: now + STEP_MS })
  expect(await prove(second, 'totp', next)).toEqual([302, true])

  const third = browse()
  expect(await visitGitHub(third)).toBe(secondPage)
  expect(await prove(third, 'recovery', codes[0] ?? '')).toEqual([302, true])
})
