// For the tests in workerd/, which run inside the Workers runtime: `vitest run` in this folder. The
// configuration of the repository runs the other tests, one of which runs these.

import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import type { ViteUserConfig } from 'vitest/config'

const migrations = await readD1Migrations(`${import.meta.dirname}/../storage-sql/schema/sqlite`)

const config: ViteUserConfig = defineConfig({
  root: import.meta.dirname,
  plugins: [
    cloudflareTest({
      wrangler: { configPath: './workerd/wrangler.jsonc' },
      miniflare: { bindings: { MIGRATIONS: migrations } },
    }),
  ],
  test: {
    include: ['workerd/*.test.ts'],
    taskTitleValueFormatTruncate: 0,
    testTimeout: 30_000,
  },
})

export default config
