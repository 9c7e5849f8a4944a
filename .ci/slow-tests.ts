/** Tests that take long and seldom fail without another one: `.ci/run` runs them, `pnpm test` does not. */
export const slowTests: readonly string[] = [
  'packages/internal/page-tests/test/*.test.ts',
  'packages/internal/bench/test/{cold,http,memory,profile}.test.ts',
  'packages/internal/hosts/test/{next,next-forms}.test.ts',
  'apps/cloudflare-workers/test/{workerd,wrangler}.test.ts',
]

/**
 * Tests that run on every SQL database: `pnpm test` runs them on the fast ones, `pnpm test:slow` on D1 in
 * Miniflare and PGlite. All run the storage contract in `pnpm test`.
 */
export const slowBackendTests: readonly string[] = [
  'packages/storage-sql/test/{migrate,races,sweep,texts,user-fields}.test.ts',
]
