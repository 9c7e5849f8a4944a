/** Runs the provider of passwords in workerd, with D1. */
import { fileURLToPath } from 'node:url'
import { Browser } from '@latchkey/core/testing'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const origin = 'https://app.example'
const alice = 'alice@example.com'
const good = 'four words that differ'

const program = `
  import { createAuth } from '@latchkey/core'
  import { confirmation } from '@latchkey/core/confirmation'
  import { passwords } from '@latchkey/passwords'
  import { scrypt } from '@latchkey/passwords/scrypt'
  import { d1Storage } from '@latchkey/storage-sql/d1'
  import { sqlFactors } from '@latchkey/storage-sql/factors'
  const mails = []
  const mailer = { send: async (mail) => void mails.push(mail.text) }
  const hasher = scrypt()
  let auth
  export default {
    async fetch(request, { DB }) {
      const storage = d1Storage(DB, { factors: sqlFactors() })
      if (!auth) {
        await storage.migrate()
        auth = createAuth({
          serviceUrl: '${origin}',
          secret: 'a secret of thirty-two bytes or more',
          storage,
          session: { strategy: 'storage' },
          confirmation: confirmation(),
          providers: [passwords({ hasher, mailer, from: 'sign-in@app.example' })],
        })
      }
      if (new URL(request.url).pathname === '/mails') return Response.json(mails)
      return auth.handle(request)
    },
  }`

describe('passwords in workerd', () => {
  let miniflare: Miniflare
  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
      bundle: true,
      write: false,
      format: 'esm',
      target: 'es2023',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['workerd', 'worker', 'browser'],
      external: ['node:*'],
    })
    miniflare = new Miniflare({
      modules: [{ type: 'ESModule', path: 'worker.mjs', contents: outputFiles[0]?.text ?? '' }],
      compatibilityDate: '2026-07-01',
      compatibilityFlags: ['nodejs_compat'],
      d1Databases: ['DB'],
    })
  })
  afterAll(() => miniflare.dispose())

  const browse = (): Browser =>
    new Browser(async (request) => {
      const { url, method, headers } = request
      const body = method === 'POST' ? await request.text() : null
      const init = { method, headers: Object.fromEntries(headers), body, redirect: 'manual' }
      const response = await miniflare.dispatchFetch(url, init as never)
      return response as never
    }, `${origin}/api/auth`)

  test('a user registers, and signs in in two browsers simultaneously', async () => {
    const browser = browse()
    await browser.submit('/signin/passwords', { action: 'register', email: alice })
    const mails = (await (await browser.visit(`${origin}/mails`)).json()) as readonly string[]
    const [link = ''] = /https:\S+\/callback\/passwords\S+/.exec(mails.join()) ?? []
    const fields = Object.fromEntries(new URL(link).searchParams)
    await browser.submit('/callback/passwords', { ...fields, password: good })
    expect(await browser.json('/session')).toMatchObject({ user: { email: alice } })

    const others = [browse(), browse()]
    const answers = await Promise.all(
      others.map((each) => each.submit('/signin/passwords', { email: alice, password: good })),
    )
    expect(answers.map(({ status }) => status)).toEqual([302, 302])
    const wrong = { email: alice, password: `${good}!` }
    expect((await browse().submit('/signin/passwords', wrong)).status).toBe(401)
  })
})
