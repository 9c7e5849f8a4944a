#!/usr/bin/env node
import { run } from './run.ts'

// A reader such as `head` closes the pipe when it has enough.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? 0 : 1),
)

process.exitCode = await run(process.argv.slice(2))
