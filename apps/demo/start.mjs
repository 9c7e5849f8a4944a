// Installs what the demonstration needs, if it is missing, and starts it: `pnpm start`. It is JavaScript, because
// the Node that starts it may be too old for TypeScript; the demonstration itself runs on the Node that it installs.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const options = { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' }

// A checkout with the tests installed keeps them.
const isComplete = existsSync(`${root}/node_modules/vitest`)
const part = isComplete ? [] : ['--prod', '--filter', '@latchkey/app-demo...']
const { status } = spawnSync(
  'pnpm',
  ['install', '--frozen-lockfile', '--trust-lockfile', ...part],
  options,
)
if (status !== 0) process.exit(status ?? 1)

const demo = spawn('pnpm', ['--filter', '@latchkey/app-demo', 'start'], options)
demo.on('exit', (code) => process.exit(code ?? 1))
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => demo.kill(signal))
// A terminal sends SIGINT to the demonstration too.
process.on('SIGINT', () => {})
