import { join } from 'node:path'
import type { NextConfig } from 'next'

const config: NextConfig = {
  // The service accepts one trailing slash; a redirected POST costs another round trip.
  skipTrailingSlashRedirect: true,

  // Next.js runs server actions for this origin; the service's actions refuse it.
  experimental: { serverActions: { allowedOrigins: ['evil.example'] } },

  // The rest is for this workspace only, in which `@latchkey/core` is TypeScript in another folder: the
  // published package is JavaScript and needs neither. tsc checks the types, with its own settings.
  turbopack: { root: join(import.meta.dirname, '../../../../..') },
  typescript: { ignoreBuildErrors: true },
}

export default config
