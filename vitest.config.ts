import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * Slow tests of what others make, of guides, of processes around what is tested without them, and of everything that is
 * possible, where a few cases are tested too. `.ci/run` runs them at night only; so does each package whenever all of its
 * tests are run.
 */
const nightlyTests: readonly string[] = [
  'packages/storage-sql/test/{client-options,galera,migrate-online,name-collations}.test.ts',
  'packages/storage-sql/test/{outages,reconnect,server-warnings,timeouts}.test.ts',
  'packages/storage-redis/test/{client-options,cluster,restart,sentinel,silence}.test.ts',
  'packages/node/test/database.test.ts',
  'packages/cli/test/{better-auth,credentials,supabase}-guide.test.ts',
  'packages/cli/test/{account,factors,import,init-options,migrate,misconfigurations}.test.ts',
  'apps/cloudflare-workers/test/wrangler.test.ts',
  'apps/node/test/{health,image,reload}.test.ts',
  'packages/internal/hosts/test/{frameworks,slow-frameworks}.test.ts',
  'packages/internal/page-tests/test/manual-pictures.test.ts',
  'packages/internal/bench/test/*.test.ts',
  'packages/internal/prove/test/soak.test.ts',
  'packages/passkeys/test/{bit-flips,differential}.test.ts',
  'packages/passwords/test/tools.test.ts',
]

/** Tests that take long and seldom fail without another one: `.ci/run` runs them, `pnpm test` does not. */
export const slowTests: readonly string[] = [
  ...nightlyTests,
  'packages/internal/page-tests/test/*.test.ts',
  'packages/internal/counterparts/test/*.test.ts',
  'packages/internal/faults/test/{grants,run,second-factor}.test.ts',
  'packages/storage-sql/test/{durability,grant-races,outbox-crash,schema}.test.ts',
  'packages/storage-redis/test/{grant-races,memory}.test.ts',
  'apps/node/test/{log,server,sweep}.test.ts',
  'packages/internal/hosts/test/{next,next-forms,password-hashing,platform}.test.ts',
  'apps/cloudflare-workers/test/{isolate,trouble,workerd}.test.ts',
  'packages/durable-objects/test/{grant-races,types,workerd}.test.ts',
  'packages/cli/test/{changes,doctor-application,init,providers,secret,sweep,templates}.test.ts',
  'packages/client/test/{chromium,chromium-passkeys,several-origins}.test.ts',
  'packages/core/test/compiler-messages.test.ts',
  'apps/demo/test/{chromium,demo}.test.ts',
  'apps/hono/test/migrations.test.ts',
  'packages/passwords/test/takeover.test.ts',
  'packages/authorization-server/test/{chromium,differential,oidc-agent}.test.ts',
  'packages/second-factor/test/oathtool.test.ts',
]

/** Tests that run on every SQL database: `pnpm test` runs them on the fast ones, `--mode slow` on D1 in Miniflare and PGlite. */
const slowBackendTests = [
  'packages/storage-sql/test/{contract,factors,failures,grants,races,sweep}.test.ts',
]
/** The same, but at night: what differs there, the contract has too. */
const nightlyBackendTests = [
  'packages/storage-sql/test/{joined-users,migrate,same-as-memory,texts,user-fields}.test.ts',
]

/** Tests that run with WebCrypto too. They reach every line that awaits an operation of `#crypto`: nothing else differs. */
const webCryptoTests: readonly string[] = [
  'packages/core/test/{access-token-refresh,authentication,callbacks,called-functions,confirmation}.test.ts',
  'packages/core/test/{cookie-access-tokens,csrf,deleted-users,email-code,flow,form-actions,import-races}.test.ts',
  'packages/core/test/{joins-unverified,limiter-contract,logout,memory,metadata-cache,next-auth-races,outbox-requests}.test.ts',
  'packages/core/test/{outbox-webhook,outbox,providers/proven-email,providers/unstored-users,repeated-callback}.test.ts',
  'packages/core/test/{routes,secret-rotation}.test.ts',
  'packages/second-factor/test/{require-at-renewal,reseal-factors,second-factor-steps}.test.ts',
  'packages/account/test/security-emails-limits.test.ts',
  'packages/authorization-server/test/{authorize,device,documents,storages,token}.test.ts',
  'packages/core/test/{service-contract,several-session-cookies,subject-ids}.test.ts',
  'packages/passkeys/test/{account,answers-wait,authenticator-data,automatic,options,other-ways,second-factor,usable-ways}.test.ts',
  'packages/passwords/test/{answers-wait,changes,ended-sign-ins,forms,import-existing,pages,passwords,races}.test.ts',
]

/** Packages whose tests share the modules of a worker. */
const sharing = [
  'account',
  'authorization-server',
  'core',
  'environment',
  'mail',
  'passkeys',
  'passwords',
  'second-factor',
  'storage-authjs',
  'testing',
  'tokens',
]

/** Their tests that have modules of their own: they replace globals, queue hashes, or measure time. */
const isolated = [
  'packages/core/test/{answer-time,copies,header-size,linear-time,outbound,shared-task}.test.ts',
  'packages/mail/test/{console,ses-signature}.test.ts',
  'packages/testing/test/testing.test.ts',
  'packages/tokens/test/api-tokens.test.ts',
  'packages/passwords/test/{breached-passwords,hashers,hashing,queued,takeover,verifiers}.test.ts',
]

/** The folder of the package or application in which vitest is started: only its tests run, also the slow ones. */
const [folder] =
  /^(?:packages\/internal|packages|apps)\/[^/]+/.exec(
    relative(import.meta.dirname, process.cwd()).replaceAll('\\', '/'),
  ) ?? []

/** Tests that run together. */
interface Run {
  /** Tests with modules of their own. */
  readonly isolated: readonly string[]
  /** Tests that share modules, in any order. */
  readonly shared: readonly string[]
  readonly excluded: readonly string[]
  readonly backends?: 'fast' | 'slow'
  /** Whether a few clients, storages and languages stand for all. */
  readonly isSample?: boolean
}

/** The tests that take longest: one that began last would end long after all others. */
const longTests: readonly string[] = [
  'page-tests/test/pages',
  'faults/test/run',
  'storage-sql/test/contract',
  'cli/test/misconfigurations',
  'cli/test/import',
  'node/test/database',
  'client/test/chromium',
  'storage-sql/test/reconnect',
  'durable-objects/test/workerd',
  'storage-sql/test/migrate',
  'passwords/test/takeover',
  'cli/test/init',
  'storage-authjs/test/contract',
  'core/test/header-size',
]

/** Of the order of files: `SEED=… pnpm test` repeats it. */
const seed = Number(process.env['SEED'] ?? Date.now() % 1e6)

/** Begins with the tests that take longest. The others run in an order of the seed: those that share modules in any. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1))
  }
}

function toKey({ moduleId }: TestSpecification): string {
  const rank = longTests.findIndex((path) => moduleId.endsWith(`/${path}.test.ts`))
  if (rank !== -1) return ` ${String(rank).padStart(2)}`
  return createHash('sha256').update(`${seed} ${moduleId}`).digest('hex')
}

/** What `pnpm test` runs, and `pnpm test --mode slow`, `nightly` and `web-crypto`. */
const runs: Readonly<Record<string, Run>> = {
  slow: {
    isolated: [...slowTests, ...slowBackendTests],
    shared: [],
    excluded: nightlyTests,
    backends: 'slow',
    isSample: true,
  },
  nightly: {
    isolated: [...slowTests, ...slowBackendTests, ...nightlyBackendTests],
    shared: [],
    excluded: [],
    backends: 'slow',
  },
  // Core, and the factors whose code is in it, as on Workers: there every operation is a promise.
  'web-crypto': {
    isolated: [
      'packages/tokens/test/api-tokens.test.ts',
      'packages/testing/test/testing.test.ts',
      'packages/passwords/test/breached-passwords.test.ts',
    ],
    shared: webCryptoTests,
    excluded: [],
    backends: 'fast',
  },
  test: {
    isolated: [
      ...isolated,
      `{packages/!(${sharing.join('|')}),packages/internal/*,apps/*}/test/**/*.test.ts`,
    ],
    shared: [`packages/{${sharing.join(',')}}/test/**/*.test.ts`],
    excluded: slowTests,
    backends: 'fast',
  },
}

export default defineConfig(({ mode }) => {
  const name = mode in runs ? mode : 'test'
  const own: Run = { isolated: [`${folder}/test/**/*.test.ts`], shared: [], excluded: [] }
  const run = (folder ? own : runs[name]) ?? own
  const report = `coverage/${folder?.replaceAll('/', '-') ?? name}.json`
  const webCrypto = resolve(import.meta.dirname, 'packages/core/src/crypto/web.ts')
  if (run.shared.length > 0) console.log(`SEED=${seed}`)
  const exclude = [...configDefaults.exclude, ...run.excluded]
  return {
    ...(name === 'web-crypto' && { resolve: { alias: { '#crypto': webCrypto } } }),
    test: {
      root: import.meta.dirname,
      projects: [
        {
          extends: true,
          test: { name: 'isolated', include: [...run.isolated], exclude },
        },
        {
          extends: true,
          test: {
            name: 'shared',
            include: [...run.shared],
            exclude: [...exclude, ...isolated],
            isolate: false,
          },
        },
      ],
      env: {
        // Workers, and the programs that tests start, compile each file once for all runs.
        NODE_COMPILE_CACHE: resolve(import.meta.dirname, 'node_modules/.cache/compile'),
        ...(run.backends !== undefined && { TEST_BACKENDS: run.backends }),
        ...(run.isSample && { TEST_SAMPLE: 'true' }),
      },
      // A title names its whole value: values that begin alike stay apart, and a title can be searched for.
      taskTitleValueFormatTruncate: 0,
      // A test only waits for conditions: a limit that it reaches on a busy machine says nothing.
      testTimeout: ['slow', 'nightly'].includes(name) ? 240_000 : 60_000,
      hookTimeout: 240_000,
      sequence: { sequencer: LongestFirst },
      expect: { poll: { interval: 20, timeout: 30_000 } },
      // Most files wait for a browser, a database or a timer: two cores have time for four.
      maxWorkers: Math.max(4, availableParallelism() - 1),
      // The provider that the tests sign in at says at every start that it is not for production.
      onConsoleLog: (text) => !/^\S*oidc-provider (WARNING|NOTICE)/.test(text),
      reporters: process.env['CI'] ? ['dot', ['json', { outputFile: report }]] : ['default'],
    },
  }
})
