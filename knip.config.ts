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
    'apps/hono': {
      includeEntryExports: true,
    },
    'apps/demo': {
      entry: ['src/web/*.{ts,tsx}'],
      includeEntryExports: true,
    },
    'apps/node': {
      entry: ['test/support/passport-service.ts'],
      includeEntryExports: true,
    },
    'packages/bench': {
      entry: ['src/workers/*.ts'],
    },
    'packages/core': {
      // packages/hosts starts it.
      entry: ['test/support/run-platform-contract.ts'],
    },
    'packages/client': {
      entry: ['test/pages/*.ts'],
    },
    'packages/hosts': {
      entry: [
        'src/programs/*.ts',
        'frameworks/*/*.config.ts',
        'frameworks/astro/src/pages/**',
        'frameworks/next/app/**',
        'frameworks/sveltekit/src/hooks.server.ts',
        'frameworks/sveltekit/src/routes/**',
      ],
      // The bundled programs run on Deno and Bun; the documented examples, which
      // .ci/check-examples.ts compiles in this package, import every other package.
      ignoreDependencies: ['argon2-wasm-edge', 'bun', 'deno', /^@latchkey\//],
    },
    'packages/mail': {
      ignoreBinaries: ['openssl'],
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
