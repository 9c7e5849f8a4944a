/** Tests that take long and seldom fail without another one: `.ci/run` runs them, `pnpm test` does not. */
export const slowTests: readonly string[] = [
  'packages/internal/page-tests/test/*.test.ts',
  'packages/internal/proof/test/soak/{journeys,rotations}.test.ts',
  'packages/internal/faults/test/{run,second-factor}.test.ts',
  'packages/storage-sql/test/{migrate-online,outages,reconnect}.test.ts',
  'packages/storage-redis/test/{cluster,restart,sentinel,silence}.test.ts',
  'packages/node/test/database.test.ts',
  'apps/node/test/{health,log,reload}.test.ts',
  'packages/internal/bench/test/{cold,http,memory,profile,sign-in-processes}.test.ts',
  'packages/internal/hosts/test/{frameworks,next,next-forms,slow-frameworks}.test.ts',
  'apps/cloudflare-workers/test/{workerd,wrangler}.test.ts',
  'apps/node/test/image.test.ts',
  'packages/durable-objects/test/workerd.test.ts',
  'packages/cli/test/{account,changes,doctor-application,factors,import,init,init-options,migrate,sweep}.test.ts',
  'packages/client/test/chromium.test.ts',
  'apps/demo/test/chromium.test.ts',
  'apps/hono/test/migrations.test.ts',
  'packages/internal/proof/test/fuzz/faults.test.ts',
  'packages/passkeys/test/{bit-flips,differential}.test.ts',
  'packages/passwords/test/tools.test.ts',
  'packages/totp/test/oathtool.test.ts',
  'packages/internal/proof/test/model/{faults,model}.test.ts',
]

/**
 * Tests that run on every SQL database: `pnpm test` runs them on the fast ones, `pnpm test:slow` on D1 in
 * Miniflare and PGlite. All run the storage contract in `pnpm test`.
 */
export const slowBackendTests: readonly string[] = [
  'packages/storage-sql/test/{factors,migrate,races,sweep,texts,user-fields}.test.ts',
]
