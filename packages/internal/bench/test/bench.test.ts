import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** What the shortest run of each command prints. Each ends with an error if an answer is wrong. */
const outputs: Readonly<Record<string, RegExp>> = {
  'main.ts rates --quick': /^sign-in by email, stored +\d/m,
  'main.ts refresh --quick': /^RS256 +\d/m,
  'main.ts http --quick': /^POST \/signin\/github; 2 +\d/m,
  'main.ts sign-in-load --quick': /^sign-ins that succeeded +2\.0$/m,
  'main.ts cold --quick': /isolate[^]*^GET \/signin +\d/m,
  // The answers about known and unknown email addresses are equal.
  'main.ts timing --quick': /(.* nothing\n){4}$/,
  'size.ts': /^auth-core, bytes$/m,
  'size.ts --features': /^\| passkeys +\| +[\d,]+ \|$/m,
}

test.each(Object.entries(outputs))('%s', async (command, expected) => {
  const args = `src/${command}`.split(' ')
  const options = { cwd: join(import.meta.dirname, '..') }
  const { stdout } = await promisify(execFile)(process.execPath, args, options)
  expect(stdout).toMatch(expected)
})
