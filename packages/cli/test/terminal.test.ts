import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createFolder } from './support/command-line.ts'

const { folder, remove } = createFolder()
afterAll(remove)

const main = resolve(import.meta.dirname, '../src/main.ts')

/** Runs the command line at a terminal, and presses keys as soon as each question appears. */
async function runAtTerminal(
  cwd: string,
  args: string,
  answers: readonly (readonly [RegExp, string])[],
): Promise<{ readonly code: number; readonly output: string }> {
  // A new pseudo-terminal has no width, so that every word would be broken.
  const command = `stty cols 120 rows 40; exec ${process.execPath} ${main} ${args}`
  const { CI: _, ...env } = process.env
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd, env })
  let output = ''
  const waiting = [...answers]
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    const [question, keys] = waiting[0] ?? []
    if (!question?.test(output)) return
    waiting.shift()
    child.stdin.write(keys)
  })
  const [code] = (await once(child, 'close')) as [number]
  return { code, output }
}

const [enter, down, tab] = ['\r', '\u001B[B', '\t']

test('init asks for the target, the database, React, the account page, and providers, which typing filters', async () => {
  const { code } = await runAtTerminal(folder, 'init asked', [
    [/What is it built with/, down + down + enter],
    [/Where are users and sessions kept/, down + enter],
    [/Add a page that React renders/, 'y'],
    [/Add a page on which users change their account/, 'y'],
    [/Which identity providers/, 'gitla'],
    [/GitLab/, tab + enter],
  ])
  expect(code).toBe(0)
  expect(readFileSync(join(folder, 'asked/src/app.ts'), 'utf8')).toContain('auth.handle')
  expect(readFileSync(join(folder, 'asked/src/database.ts'), 'utf8')).toContain('pgStorage')
  expect(existsSync(join(folder, 'asked/client/main.tsx'))).toBe(true)
  const auth = readFileSync(join(folder, 'asked/src/auth.ts'), 'utf8')
  expect(auth).toContain('gitlab({')
  expect(auth).toContain('use: [accountPages()]')
  expect(auth).not.toContain('github')
})

test('init asks before it replaces a file, and keeps it by default', async () => {
  const project = join(folder, 'kept')
  mkdirSync(join(project, 'src'), { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "dependencies": { "hono": "^4" } }')
  const run = (answer: string): ReturnType<typeof runAtTerminal> =>
    runAtTerminal(project, 'init --template hono --providers none', [
      [/src\/auth\.ts exists and differs/, answer],
    ])
  writeFileSync(join(project, 'src/auth.ts'), '// mine\n')
  expect(await run(enter)).toMatchObject({ code: 0 })
  expect(readFileSync(join(project, 'src/auth.ts'), 'utf8')).toBe('// mine\n')
  expect(await run('y')).toMatchObject({ code: 0 })
  expect(readFileSync(join(project, 'src/auth.ts'), 'utf8')).toContain('createAuth')
})

test('a question that is cancelled leaves everything as it was', async () => {
  const { code, output } = await runAtTerminal(folder, 'init never', [
    [/What is it built with/, '\u0003'],
  ])
  expect(code).toBe(1)
  expect(output).toContain('cancelled: nothing was changed')
})
