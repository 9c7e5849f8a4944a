import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * Runs the tests of a package inside the Workers runtime, as `vitest run` in its folder does. Returns how many there are.
 *
 * @throws Error with what Vitest printed, unless all of them pass
 */
export function runInWorkerd(folder: string): number {
  const { resolve } = createRequire(join(folder, 'package.json'))
  const vitest = join(dirname(resolve('vitest/package.json')), 'vitest.mjs')
  const { PATH, HOME } = process.env
  // Without the variables that make a nested Vitest a part of the outer one.
  const env = { PATH, HOME, NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run'], {
    cwd: folder,
    env: { ...env, CLOUDFLARE_CF_FETCH_ENABLED: 'false' },
    encoding: 'utf8',
  })
  const [, passed] = /^ *Tests +(\d+) passed \(\1\)$/m.exec(stdout) ?? []
  if (status !== 0 || passed === undefined) throw new Error(stdout + stderr)
  return Number(passed)
}
