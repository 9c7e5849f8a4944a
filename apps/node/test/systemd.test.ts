import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { getCompileCache } from '@latchkey/test-support/program'
import { getFreePort, reportMissing } from '@latchkey/test-support/servers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createEnvFile } from './support/env-file.ts'
import { leastVariables } from './support/service.ts'

/** The exposure level that `systemd-analyze security` may find at most, of 10. The unit has 1.3. */
const MAX_EXPOSURE = 1.5

const folder = resolve(import.meta.dirname, '..')
const unit = readFileSync(join(folder, 'deploy/latchkey.service'), 'utf8')
const ANALYZE = '/usr/bin/systemd-analyze'
const hasSystemd = existsSync(ANALYZE)
if (!hasSystemd) reportMissing('systemd-analyze')

/** Returns the value of a directive, which the unit has once. */
function getDirective(name: string): string {
  const values = Array.from(unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value]) => value)
  expect(values).toHaveLength(1)
  return values[0] ?? ''
}

/** Writes the unit with paths of this machine. */
function writeUnit(text: string = unit): string {
  const path = join(createFolder(), 'latchkey.service')
  const program = getDirective('ExecStart').replace('/usr/bin/node', process.execPath)
  writeFileSync(path, text.replace(/^ExecStart=.*$/m, `ExecStart=${program}`))
  return path
}

function createFolder(): string {
  const created = mkdtempSync(join(tmpdir(), 'latchkey-systemd-'))
  onTestFinished(() => rmSync(created, { recursive: true }))
  return created
}

/** An unknown directive is only a warning on stderr. */
function analyze(...args: readonly string[]): {
  readonly code: number | null
  readonly output: string
} {
  const { status, stdout, stderr } = spawnSync(ANALYZE, args, { encoding: 'utf8' })
  return { code: status, output: stdout + stderr }
}

describe.runIf(hasSystemd)('the unit', () => {
  test('is valid', () => {
    expect(analyze('verify', writeUnit())).toEqual({ code: 0, output: '' })
    const misspelled = writeUnit(unit.replace('PrivateTmp=', 'PrivateTemp='))
    expect(analyze('verify', misspelled).output).toMatch(/unknown .*'PrivateTemp'/i)
  })

  test('leaves the service little to do harm with', () => {
    const threshold = `--threshold=${MAX_EXPOSURE * 10}`
    const examine = (path: string) =>
      analyze('security', '--offline=true', threshold, '--no-pager', path)
    expect(examine(writeUnit())).toMatchObject({ code: 0 })
    const weaker = writeUnit(unit.replace(/^(CapabilityBoundingSet|SystemCallFilter)=.*\n/gm, ''))
    expect(examine(weaker)).not.toMatchObject({ code: 0 })
  })
})

test('its command runs with its environment, reloads on its signal, and stops', async () => {
  const port = await getFreePort('localhost')
  const { AUTH_DATABASE: _, ...variables } = leastVariables
  const file = createEnvFile({ ...variables, PORT: `${port}` })
  const [program, ...args] = getDirective('ExecStart').replace('/opt/latchkey', folder).split(' ')
  expect(program).toBe('/usr/bin/node')
  const assignments = getDirective('Environment').split(' ')
  const environment = Object.fromEntries(assignments.map((pair) => pair.split('=')))
  expect(environment).toMatchObject({ AUTH_ENV_FILE: '/etc/latchkey/latchkey.env' })
  const state = createFolder()
  const child = spawn(process.execPath, args, {
    cwd: state,
    env: { ...getCompileCache(), ...environment, AUTH_ENV_FILE: file.path },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const getReady = (): Promise<unknown> =>
    fetch(`http://localhost:${port}/readyz`).then(({ status }) => status, String)
  await expect.poll(getReady).toBe(200)
  expect(existsSync(join(state, 'latchkey.sqlite'))).toBe(true)
  expect(getDirective('ExecReload')).toBe('/bin/kill -HUP $MAINPID')
  file.write({ ...variables, PORT: `${port}`, AUTH_GOOGLE_ID: 'id', AUTH_GOOGLE_SECRET: 'secret' })
  child.kill('SIGHUP')
  await expect.poll(() => output).toContain('the configuration was reloaded')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})
