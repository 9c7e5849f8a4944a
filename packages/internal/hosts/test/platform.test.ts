import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const getPath = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const program = getPath('../../../core/test/support/run-platform-contract.ts')

// The published package has the same conditions in its `imports` as the workspace.
test.for([
  ['Node', [], process.execPath, 'synchronous'],
  ['Node', ['--conditions=workerd'], process.execPath, 'asynchronous'],
  ['Node', ['--conditions=edge-light'], process.execPath, 'asynchronous'],
  ['Node', ['--conditions=browser'], process.execPath, 'asynchronous'],
  ['Deno', ['run', '--no-lock'], getPath('../node_modules/.bin/deno'), 'synchronous'],
  ['Bun', ['run'], getPath('../node_modules/.bin/bun'), 'synchronous'],
] as const)('%s %j: the contract of its platform passes', async ([, args, command, outcome]) => {
  const { stdout } = await promisify(execFile)(command, [...args, program])
  expect(stdout).toMatch(new RegExp(`^\\d+ cases, ${outcome}\\n$`))
})
