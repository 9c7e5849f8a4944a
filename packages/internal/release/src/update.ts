import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './shell.ts'
import type { Environment } from './shell.ts'

/** Prints the status of a wrong password; a copy of core of another version fails at the start. */
const script = `
import { createAuth } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { consoleMailer } from '@latchkey/mail/console'
import { passwords } from '@latchkey/passwords'
import { scrypt } from '@latchkey/passwords/scrypt'

export const auth = createAuth({
  secret: 'a'.repeat(32),
  storage: memoryStorage(),
  session: { strategy: 'storage' },
  use: [confirmation()],
  providers: [
    passwords({ hasher: scrypt(), mailer: consoleMailer(), from: 'sign-in@localhost.example' }),
  ],
})
const url = 'http://localhost/api/auth'
const csrf = await auth.handle(new Request(url + '/csrf'))
const { csrfToken } = await csrf.json()
const body = new URLSearchParams({ csrfToken, email: 'alice@example.com', password: 'a wrong password', json: 'true' })
const headers = { cookie: csrf.headers.get('set-cookie').split(';')[0] }
const response = await auth.handle(
  new Request(url + '/callback/passwords', { method: 'POST', body, headers }),
)
console.log('status ' + response.status)
`

/**
 * Updates core alone, to a later patch version that it publishes: no second copy is installed, and a wrong password is
 * 401. Then puts the previous copy below another package: the start is refused, with both paths and what repairs it.
 */
export async function updateCore(folder: string, env: Environment, version: string): Promise<void> {
  const place = { folder, env }
  const current = version.replace('^', '')
  const [, base = '', patch = ''] = /^(.+\.)(\d+)$/.exec(current) ?? []
  const next = `${base}${Number(patch) + 1}`
  const manifest = { name: 'update', private: true, type: 'module' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'auth.js'), script)
  const names = ['core', 'cli', 'hono', 'mail', 'node', 'passwords', 'second-factor', 'storage-sql']
  await run(`npm install ${names.map((name) => `@latchkey/${name}@${current}`).join(' ')}`, place)
  const previous = join(folder, 'previous')
  cpSync(join(folder, 'node_modules/@latchkey/core'), previous, { recursive: true })
  await publishNext(folder, env, next)

  await run(`npm install @latchkey/core@${next}`, place)
  await expectOutput('npm ls --all @latchkey/core', place, [`core@${next}`], [`core@${current}`])
  await expectOutput('node auth.js', place, ['status 401'])

  const nested = 'node_modules/@latchkey/passwords/node_modules/@latchkey/core'
  cpSync(previous, join(folder, nested), { recursive: true })
  const problem = [`${current} (`, nested, `${next} (`, 'npm dedupe']
  await expectOutput('node auth.js 2>&1 || true', place, problem, ['status'])
  await expectOutput('npx latchkey doctor --offline --config auth.js || true', place, problem)
  await run('npm update && npm dedupe', place)
  await expectOutput('node auth.js', place, ['status 401'])
}

/** Publishes the installed core as a later version. */
async function publishNext(folder: string, env: Environment, next: string): Promise<void> {
  const target = join(folder, 'next')
  cpSync(join(folder, 'node_modules/@latchkey/core'), target, { recursive: true })
  for (const file of ['package.json', 'dist/lib/copies.js']) {
    const text = readFileSync(join(target, file), 'utf8')
    writeFileSync(
      join(target, file),
      text.replace(/(version(?:"|) ?[:=] ?["'])\d[^"']*/, `$1${next}`),
    )
  }
  await run('npm publish', { folder: target, env })
}

async function expectOutput(
  command: string,
  place: Parameters<typeof run>[1],
  expected: readonly string[],
  unexpected: readonly string[] = [],
): Promise<void> {
  const output = await run(command, place)
  const isRight = expected.every((text) => output.includes(text))
  if (isRight && !unexpected.some((text) => output.includes(text))) return
  throw new Error(
    `${command}: expected ${expected.join(', ')} and not ${unexpected.join(', ') || 'more'}:\n${output}`,
  )
}
