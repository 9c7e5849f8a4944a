import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Browser } from '@latchkey/testing/browser'
import { getFreePort } from '@latchkey/test-support/servers'
import { expect, onTestFinished, test } from 'vitest'
import { migrationNames } from '../../../packages/storage-sql/test/support/migration-names.ts'

const folder = resolve(import.meta.dirname, '..')
const { PATH, HOME } = process.env
const env = {
  PATH,
  HOME,
  NO_COLOR: '1',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
}

test('wrangler accepts the configuration: deploy --dry-run', () => {
  const outdir = createFolder()
  const output = wrangler('deploy', '--dry-run', '--outdir', outdir)
  expect(output).toMatch(/Total Upload: .* \/ gzip: /)
  expect(output).not.toMatch(/WARN/i)
  for (const binding of [
    'MAIL',
    'DB (latchkey)',
    'SIGN_INS (60 requests/60s)',
    'LATCHKEY (LatchkeyObject)',
    'KV',
  ]) {
    expect(output).toContain(`env.${binding}`)
  }
  expect(readdirSync(outdir)).toContain('worker.js')
})

test('wrangler creates the tables once: d1 migrations apply', () => {
  const state = ['--local', '--persist-to', createFolder()]
  const applied = wrangler('d1', 'migrations', 'apply', 'DB', ...state)
  for (const name of migrationNames) expect(applied).toContain(`${name}.sql`)
  expect(wrangler('d1', 'migrations', 'apply', 'DB', ...state)).toContain('No migrations to apply')
  const query = ['--command', 'SELECT name FROM latchkey_migrations', '--json']
  const names = wrangler('d1', 'execute', 'DB', ...state, ...query)
  for (const name of migrationNames) expect(names).toContain(`"${name}"`)
})

test('`pnpm dev` starts the Worker and an OpenID provider', async () => {
  const output = createFolder()
  const [port, issuerPort] = [await getFreePort('localhost'), await getFreePort('localhost')]
  const issuer = `http://localhost:${issuerPort}`
  const file = join(output, 'variables')
  writeFileSync(
    file,
    `AUTH_SECRET=${'s'.repeat(32)}\nAUTH_OIDC_ISSUER=${issuer}\nAUTH_OIDC_ID=id\nAUTH_OIDC_SECRET=x\n`,
  )
  await startDev(['--port', String(port), '--env-file', file, '--persist-to', output])

  const browser = new Browser(fetch, `http://localhost:${port}/api/auth`)
  const page = await browser.follow(await browser.submit('/signin/oidc'))
  const [, choose = ''] = /formaction="([^"]+\/alice)"/.exec(await page.text()) ?? []
  const chosen = await browser.visit(issuer + choose, { method: 'POST' })
  const back = await browser.follow(chosen, ({ pathname }) => pathname === '/')
  expect(back.headers.get('location')).toBe(`http://localhost:${port}`)
  expect(await browser.json('/session')).toMatchObject({ user: { name: 'Alice Example' } })
})

function wrangler(...args: string[]): string {
  const command = join(folder, 'node_modules/.bin/wrangler')
  return execFileSync(command, args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
}

/** Starts the Worker, and waits until it answers. It is stopped after the test, and must then exit. */
async function startDev(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, ['scripts/dev.ts', ...args], { cwd: folder, env })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let output = ''
  await new Promise<void>((onReady, reject) => {
    const listen = (chunk: Buffer): void => {
      output += chunk.toString()
      if (output.includes('Ready on')) onReady()
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('close', () => reject(new Error(output)))
  })
}

function createFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-worker-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}
