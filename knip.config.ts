import type { KnipConfig } from 'knip'

const config: KnipConfig = {
  treatConfigHintsAsErrors: true,
  workspaces: {
    '.': {
      entry: ['.ci/*.ts'],
      // .ci/check-packages.ts starts their programs.
      ignoreDependencies: ['@arethetypeswrong/cli', 'publint'],
    },
    'apps/cloudflare-workers': {
      entry: ['test/**/*.test.ts'],
      includeEntryExports: true,
    },
    'apps/docs': {
      // The default theme of VitePress imports the first; typedoc loads the second.
      ignoreDependencies: ['vue', 'typedoc-plugin-markdown'],
    },
    'apps/hono': {
      includeEntryExports: true,
    },
    'apps/demo': {
      entry: ['src/web/*.{ts,tsx}'],
      includeEntryExports: true,
    },
    'apps/node': {
      includeEntryExports: true,
    },
    'packages/internal/bench': {
      entry: ['src/workers/*.ts'],
    },
    'packages/core': {
      // packages/internal/hosts starts it.
      entry: ['test/support/run-platform-contract.ts'],
    },
    'packages/cli': {
      // What `latchkey init` writes; the tests run wrangler in a project, and the program at a terminal.
      entry: ['templates/*/src/*.ts', 'templates/next/app/**', 'templates/next/auth.ts'],
      ignoreDependencies: ['wrangler'],
      ignoreBinaries: ['script'],
      includeEntryExports: false,
    },
    'packages/client': {
      entry: ['test/pages/*.ts'],
    },
    'packages/internal/hosts': {
      entry: [
        'src/programs/*.ts',
        'frameworks/*/*.config.ts',
        'frameworks/astro/src/pages/**',
        'frameworks/next/app/**',
        'frameworks/next/pages/**',
        'frameworks/react-router/app/{root.tsx,routes.ts,routes/**}',
        'frameworks/sveltekit/src/{app.d.ts,hooks.server.ts}',
        'frameworks/sveltekit/src/routes/**',
        'frameworks/tanstack-start/src/{router.tsx,routes/**}',
      ],
      // TanStack Router generates it.
      ignore: ['frameworks/tanstack-start/src/routeTree.gen.ts'],
      // The bundled programs run on Deno and Bun; the build of React Router needs two packages; the
      // documented examples, which .ci/check-examples.ts compiles in this package, import every other
      // package of the workspace.
      ignoreDependencies: [
        'argon2-wasm-edge',
        'bun',
        'deno',
        '@react-router/node',
        'isbot',
        'vue',
        /^@latchkey\//,
      ],
    },
    'packages/internal/proof': {
      // The tests of the runner put faults into them.
      entry: ['test/fixture/*.tests.ts'],
    },
    'packages/internal/test-support': {
      ignoreBinaries: ['openssl'],
    },
    'packages/next': {
      entry: [
        'test/**/*.test.ts',
        'migration/*.test.ts',
        'migration/before/app/**',
        'migration/before/pages/**',
        'migration/before/{next.config,proxy}.ts',
      ],
    },
    'packages/internal/release': {
      // Projects of their own, which the packages are installed into.
      ignore: ['projects/**'],
    },
    'packages/node': {
      // A test starts it.
      entry: ['test/support/passport-service.ts'],
    },
    'packages/storage-redis': {
      ignoreBinaries: ['redis-cli', 'redis-server'],
    },
    'packages/storage-sql': {
      entry: ['test/support/writer.ts'],
    },
  },
}

export default config
