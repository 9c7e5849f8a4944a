import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { faults } from '../../src/fuzz/faults.ts'
import { targetNames } from '../../src/fuzz/targets.ts'

const root = resolve(import.meta.dirname, '../../../../..')
const command = resolve(root, 'packages/internal/proof/src/fuzz/main.ts')

/** Runs the command, and returns whether it has passed, and its output. */
function runCommand(...args: readonly string[]): Promise<readonly [boolean, string]> {
  const env = { ...process.env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1' }
  const options = { cwd: root, env, maxBuffer: 2 ** 24 }
  return new Promise((done) => {
    execFile(process.execPath, [command, ...args], options, (error, stdout) =>
      done([error === null, stdout]),
    )
  })
}

test('every target has a fault', () => {
  expect(new Set(faults.map(({ target }) => target))).toEqual(new Set(targetNames))
})

test.each(faults.map((fault) => [fault.name, fault.target, fault] as const))(
  'the fault %s is found by %s',
  async (name, target, { broken, seed = 1 }) => {
    const args = ['--fault', name, '--seconds', '150', '--seed', String(seed)]
    const [hasPassed, output] = await runCommand(...args)
    expect(output).toContain(`${target}: `)
    expect(output).toContain(broken)
    expect(hasPassed).toBe(false)
  },
  240_000,
)

test('the command prints the figures of each target, and the total', async () => {
  const [hasPassed, output] = await runCommand('pure', 'webauthn', '--cases', '40', '--seed', '1')
  expect(output).toMatch(/^pure: 40 cases in [\d.]+ s, \d{3} blocks reached, seed 1$/m)
  expect(output).toMatch(/^webauthn: 40 cases in [\d.]+ s, \d{2,3} blocks reached, seed 1$/m)
  expect(output).toContain('80 cases of 2 targets, no invariant is broken')
  expect(hasPassed).toBe(true)
}, 60_000)
