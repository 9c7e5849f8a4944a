import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { getFreePort } from '@latchkey/test-support/servers'
import { validate } from 'dockerfile-utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { leastVariables } from './support/service.ts'

const root = resolve(import.meta.dirname, '../../..')
const dockerfile = readFileSync(join(root, 'apps/node/Dockerfile'), 'utf8')
const NOBODY = 65_534

/** The instructions in their order, each with its arguments. */
const instructions = dockerfile
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line))
  .map((line) => {
    const [name = '', ...args] = line.split(' ')
    return { name, args: args.join(' ') }
  })

function getInstructions(name: string): string[] {
  return instructions.filter((each) => each.name === name).map(({ args }) => args)
}

/** Returns the command of an instruction in the JSON form. */
function getCommand(name: string): string[] {
  const [args = ''] = getInstructions(name)
  return JSON.parse(args.replace(/^[^[]*?(?:CMD )?(?=\[)/, '')) as string[]
}

describe('the Dockerfile', () => {
  test('has no problem that the linter knows', () => {
    expect(validate(dockerfile)).toEqual([])
    expect(validate(dockerfile.replace('EXPOSE', 'EXPOSES'))).toHaveLength(1)
  })

  test('runs as a user without rights, in a second stage', () => {
    expect(getInstructions('FROM')).toHaveLength(2)
    expect(getInstructions('USER')).toEqual(['node'])
    const last = instructions.findLastIndex(({ name }) => name === 'RUN' || name === 'COPY')
    expect(instructions.findIndex(({ name }) => name === 'USER')).toBeGreaterThan(last)
    expect(getInstructions('COPY')).toEqual(['. .', '--from=build /app /app'])
  })
})

describe('its stages, with the same commands in a folder', () => {
  let folder: string
  let app: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-image-'))
    app = join(folder, 'app')
    const source = join(folder, 'src')
    for (const file of listContext()) {
      mkdirSync(dirname(join(source, file)), { recursive: true })
      cpSync(join(root, file), join(source, file))
    }
    const [build = ''] = getInstructions('RUN')
    expect(build).toBe('sh apps/node/deploy/build.sh /app')
    const [program = '', ...args] = build.replace('/app', app).split(' ')
    execFileSync(program, args, { cwd: source, stdio: 'pipe', env: { ...process.env, CI: '1' } })
    rmSync(source, { recursive: true })
    chmodSync(folder, 0o755)
    mkdirSync(join(folder, 'data'), { mode: 0o700 })
    if (process.getuid?.() === 0) chownSync(join(folder, 'data'), NOBODY, NOBODY)
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true }))

  test('the result has the program, built packages and production dependencies only', () => {
    expect(globSync('*', { cwd: app }).toSorted()).toEqual(['node_modules', 'package.json', 'src'])
    const store = join(app, 'node_modules/.pnpm')
    const packages = globSync('*/node_modules/@latchkey/*', { cwd: store })
    expect(packages.length).toBeGreaterThan(5)
    for (const each of packages) expect(existsSync(join(store, each, 'src'))).toBe(false)
    const names = globSync('*', { cwd: store }).join(' ')
    expect(names).toMatch(/\bpg@/)
    expect(names).not.toMatch(/\b(typescript|vitest|esbuild|vite)@/)
  })

  test('the command answers as that user, can write only its data, and is healthy', async () => {
    const port = await getFreePort('localhost')
    const { AUTH_DATABASE: _, ...variables } = leastVariables
    const [assignments = ''] = getInstructions('ENV')
    const environment = Object.fromEntries(assignments.split(' ').map((pair) => pair.split('=')))
    expect(environment).toMatchObject({ HOST: '0.0.0.0', PORT: '3000' })
    const env = { ...variables, ...environment, PORT: `${port}` }
    const start = (command: readonly string[]) => {
      const [program, ...args] = command.map((part) => part.replace(/^\/app/, app))
      expect(program).toBe('node')
      const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
      const copy = { cwd: join(folder, 'data'), env, ...user }
      return spawn(getNode(folder), args, copy)
    }
    const checkHealth = async (): Promise<unknown> =>
      (await once(start(getCommand('HEALTHCHECK')), 'exit'))[0]
    expect(await checkHealth()).toBe(1)
    const service = start(getCommand('CMD'))
    let output = ''
    service.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    service.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await expect.poll(() => output, { timeout: 20_000 }).toContain('listening on')
    expect(await checkHealth()).toBe(0)
    const ready = await fetch(`http://localhost:${port}/readyz`)
    expect(await ready.json()).toEqual({ status: 'ready' })
    expect(globSync('*', { cwd: join(folder, 'data') })).toContain('latchkey.sqlite')
    const [signal = ''] = getInstructions('STOPSIGNAL')
    service.kill(signal as NodeJS.Signals)
    expect(await once(service, 'exit')).toEqual([0, null])
    expect(output).not.toMatch(/"level":"(error|warn)"/)
  })
})

/** Returns a Node that every user may run: the path of this one may be private. */
function getNode(folder: string): string {
  const copy = join(folder, 'node')
  if (!existsSync(copy)) cpSync(process.execPath, copy, { dereference: true })
  return copy
}

/** Returns the files that the context of the build has: what git knows, without what is ignored. */
function listContext(): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  const ignored = /(^|\/)(test|node_modules|dist)\/|^apps\/docs\//
  return listed
    .split('\n')
    .filter((file) => file !== '' && !ignored.test(file) && existsSync(join(root, file)))
}
