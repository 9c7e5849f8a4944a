/** Runs the first page of the manual, in a new project for Workers, and the Worker of README.md: in workerd, with D1. */
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Browser } from '@latchkey/testing'
import { startWorker } from '@latchkey/test-support/worker'
import type { RunningWorker } from '@latchkey/test-support/worker'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgram } from './support/ask-worker.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const origin = 'http://localhost:8787'
const alice = 'alice@example.com'
const good = 'four words that differ'

/** The Worker of the template with `src/auth.ts` of the page. Emails are kept instead of sent. */
const entry = `
  import worker from './src/worker.ts'
  const mails = []
  const MAIL = { send: async ({ text }) => void mails.push(text) }
  export default {
    fetch: (request, env, context) =>
      new URL(request.url).pathname === '/mails'
        ? Response.json(mails)
        : worker.fetch(request, { ...env, MAIL }, context),
  }`

const AUTH_SECRET = 'a secret of thirty-two bytes or more'
const github = { AUTH_GITHUB_ID: 'Iv1.abc', AUTH_GITHUB_SECRET: 'kept secret' }
const options = { compatibilityFlags: ['nodejs_compat'], d1Databases: ['DB'] }

/** Expects the sign-in page to offer a passkey, a password and GitHub. */
async function expectThreeWays({ handle }: RunningWorker): Promise<void> {
  const page = await (await handle(new Request(`${origin}/api/auth/signin`))).text()
  for (const way of ['Sign in with a passkey', 'Create an account', 'Continue with GitHub'])
    expect(page).toContain(way)
}

/** Writes the project into this package, so that its imports resolve. Returns its folder. */
async function writeProject(): Promise<string> {
  const folder = await mkdtemp(join(root, 'packages/internal/hosts/examples-'))
  for (const template of ['shared', 'workers']) {
    const source = join(root, 'packages/cli/templates', template, 'src')
    await cp(source, join(folder, 'src'), { recursive: true })
  }
  const page = await readFile(join(root, 'apps/docs/pages/start/index.md'), 'utf8')
  const [, code = ''] = /^`src\/auth\.ts`:\n\n```ts\n([^]*?)^```$/m.exec(page) ?? []
  await writeFile(join(folder, 'src/auth.ts'), code)
  await writeFile(join(folder, 'entry.ts'), entry)
  return folder
}

/** The statements of the files that `wrangler d1 migrations apply` applies. */
async function readMigrations(): Promise<string[]> {
  const folder = join(root, 'packages/storage-sql/schema/sqlite')
  const files = (await readdir(folder)).toSorted()
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return texts
    .flatMap((text) => text.split(/;\s*$/m))
    .filter((statement) => statement.trim() !== '')
}

describe('start/index.md', () => {
  let worker: RunningWorker
  let folder: string
  beforeAll(async () => {
    folder = await writeProject()
    const bindings = { AUTH_SECRET, AUTH_EMAIL_FROM: 'sign-in@example.com', ...github }
    const entryPoints = [join(folder, 'entry.ts')]
    worker = await startWorker({ entryPoints }, { ...options, bindings })
    const database = await worker.miniflare.getD1Database('DB')
    for (const statement of await readMigrations()) await database.prepare(statement).run()
  })
  afterAll(async () => {
    await worker?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const browse = (): Browser => new Browser(worker.handle, `${origin}/api/auth`)

  test('the sign-in page offers a passkey, a password and GitHub', () => expectThreeWays(worker))

  test('a user registers, and signs in in two browsers simultaneously', async () => {
    const browser = browse()
    await browser.submit('/signin/passwords', { action: 'register', email: alice })
    const mails = (await (await browser.visit(`${origin}/mails`)).json()) as readonly string[]
    const [link = ''] = /http:\S+\/callback\/passwords\S+/.exec(mails.join()) ?? []
    const fields = Object.fromEntries(new URL(link).searchParams)
    const chosen = await browser.submit('/callback/passwords', { ...fields, password: good })
    expect(chosen.headers.get('location')).toContain('/signin/passkey?action=create')
    expect(await browser.json('/session')).toMatchObject({ user: { email: alice } })
    expect(await (await browser.visit('/account')).text()).toContain(alice)

    const others = [browse(), browse()]
    const answers = await Promise.all(
      others.map((each) => each.submit('/signin/passwords', { email: alice, password: good })),
    )
    expect(answers.map(({ status }) => status)).toEqual([302, 302])
    const wrong = { email: alice, password: `${good}!` }
    expect((await browse().submit('/signin/passwords', wrong)).status).toBe(401)
  })
})

test('the Worker of README.md shows its three ways', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const [, code = ''] = /^```ts\n([^]*?)^```$/m.exec(readme) ?? []
  const email = { send_email: [{ name: 'MAIL' }] }
  const bindings = { AUTH_SECRET, ...github }
  await using worker = await startProgram(code, { ...options, email, bindings })
  await expectThreeWays(worker)
})
