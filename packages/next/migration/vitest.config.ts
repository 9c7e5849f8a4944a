import { defineConfig } from 'vitest/config'

/** The test of the guide, which builds the application twice: `.ci/run` runs it at night, `pnpm test` does not. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    taskTitleValueFormatTruncate: 0,
    testTimeout: 60_000,
    hookTimeout: 300_000,
    reporters: process.env['CI']
      ? ['default', ['json', { outputFile: '../../../coverage/migration.json' }]]
      : ['default'],
  },
})
