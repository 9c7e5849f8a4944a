/** Tests that take long and seldom fail without another one: `.ci/run` runs them, `pnpm test` does not. */
export const slowTests: readonly string[] = [
  'packages/page-tests/test/*.test.ts',
  'packages/bench/test/{cold,http,memory,profile}.test.ts',
  'packages/hosts/test/{next,next-forms}.test.ts',
  'apps/cloudflare-workers/test/{workerd,wrangler}.test.ts',
]
