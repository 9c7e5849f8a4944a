#!/usr/bin/env node
// No static imports: an old version of Node can parse this file, and say what it lacks.
const minimum = [22, 13] as const

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < minimum[0] || (major === minimum[0] && minor < minimum[1])) {
  console.error(
    `latchkey needs Node ${minimum.join('.')} or later, and this is Node ${process.versions.node}: install it from https://nodejs.org`,
  )
  process.exit(1)
}

const { run } = await import('./run.ts')

// A reader such as `head` closes the pipe when it has enough.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? 0 : 1),
)

const code = await run(process.argv.slice(2))
// The client of a database, which a module of `doctor --config` has opened, would keep the process alive.
process.stdout.write('', () => process.exit(code))
