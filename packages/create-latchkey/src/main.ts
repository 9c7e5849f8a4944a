#!/usr/bin/env node
// `npm create latchkey my-app -- --template hono` is `latchkey init my-app --template hono`.
import { run } from '@latchkey/cli'

process.exitCode = await run(['init', ...process.argv.slice(2)])
