#!/usr/bin/env node
// `npm create latchkey my-app -- --template hono` is `latchkey init my-app --template hono`. This file has
// no static imports, so that old versions of Node can parse it and say what they lack.
const minimum = [22, 18] as const

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < minimum[0] || (major === minimum[0] && minor < minimum[1])) {
  console.error(
    `create-latchkey needs Node ${minimum.join('.')} or later, and this is Node ${process.versions.node}: install it from https://nodejs.org`,
  )
  process.exit(1)
}

// An optional dependency: npm leaves it out without a warning on a version of Node that it does not support.
const { run } = await import('@latchkey/cli')
process.exitCode = await run(['init', ...process.argv.slice(2)])
