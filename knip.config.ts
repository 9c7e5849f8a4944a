import type { KnipConfig } from 'knip'

const config: KnipConfig = {
  treatConfigHintsAsErrors: true,
  workspaces: {
    '.': {
      entry: ['.ci/*.ts', '.ci/examples/runner.ts'],
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
    'apps/recipes/deploy': {
      // Platforms call them.
      entry: ['api/index.ts', 'netlify/functions/app.ts', 'deno.ts'],
    },
    'apps/recipes/nuxt': {
      // Nuxt and what it generates import it.
      ignoreDependencies: ['vue'],
    },
    'apps/recipes/sveltekit-2': {
      // The sources of apps/recipes/sveltekit, which the tests copy, import them.
      ignoreDependencies: ['@latchkey/core', '@latchkey/testing'],
    },
    'apps/demo': {
      entry: ['src/web/*.{ts,tsx}'],
      includeEntryExports: true,
    },
    'apps/node': {
      // A process of the tests imports it first; containers run the second, and build.sh the third.
      entry: ['test/support/register-sdk.ts', 'src/healthcheck.ts', 'deploy/*.mjs'],
      includeEntryExports: true,
    },
    'packages/internal/bench': {
      entry: ['src/workers/*.ts'],
      // src/features.ts names what it measures, src/comparison.ts reads what is installed.
      ignoreDependencies: [
        '@latchkey/account',
        '@latchkey/durable-objects',
        '@latchkey/passkeys',
        '@latchkey/second-factor',
        'next-auth',
      ],
    },
    'packages/core': {
      // packages/internal/hosts starts it.
      entry: ['test/support/run-platform-contract.ts'],
    },
    'packages/passkeys': {
      // packages/core/scripts/style-rules.ts reads it.
      entry: ['src/pages/passkey-script.js'],
    },
    'packages/cli': {
      // What `latchkey init` writes; the tests run wrangler and the drivers in a project, and the program at a terminal.
      entry: [
        'templates/{hono,mcp,node,shared,workers}/src/*.ts',
        'templates/next/**/*.{ts,tsx}',
        'templates/databases/**/*.ts',
      ],
      // Parts of a project, which a test puts together and compiles.
      ignore: ['templates/react/**'],
      ignoreUnresolved: [
        './app.ts',
        './database.ts',
        './env.ts',
        './icon.ts',
        './mailer.ts',
        './style.ts',
        './theme.ts',
      ],
      ignoreDependencies: [
        '@hono/node-server',
        '@latchkey/client',
        '@vitejs/plugin-react',
        'wrangler',
      ],
      ignoreBinaries: ['script'],
      includeEntryExports: false,
    },
    'packages/client': {
      entry: ['test/pages/*.ts'],
    },
    'packages/durable-objects': {
      // What the tests in workerd/ run beside; a test starts wrangler.
      entry: ['workerd/{worker.ts,*.test.ts}'],
      ignoreDependencies: ['wrangler'],
    },
    'packages/internal/hosts': {
      entry: [
        'src/programs/*.ts',
        'frameworks/next/*.config.ts',
        'frameworks/next/app/**',
        'frameworks/next/pages/**',
      ],
      // The bundled programs run on Deno and Bun; the documented examples, which .ci/check-examples.ts
      // compiles in this package, import every other package of the workspace.
      ignoreDependencies: [
        '@hono/node-server',
        '@node-rs/bcrypt',
        'argon2-wasm-edge',
        'bun',
        'deno',
        'standardwebhooks',
        'svelte',
        'vue',
        /^@latchkey\//,
      ],
    },
    'packages/internal/faults': {
      // Other modules start them.
      entry: ['src/{grant-service,service}.ts'],
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
      // A test starts it.
      entry: ['test/support/redeemer.ts'],
      ignoreBinaries: ['redis-cli', 'redis-server'],
    },
    'packages/storage-sql': {
      entry: [
        'test/support/writer.ts',
        'test/support/outbox-writer.ts',
        'test/support/migrator.ts',
        'test/support/migrate-rows.ts',
        'test/support/redeemer.ts',
      ],
    },
  },
}

export default config
