import { join } from 'node:path'
import type { NextConfig } from 'next'

const config: NextConfig = {
  // The service takes one trailing slash itself; redirected, a POST would cost another round trip.
  skipTrailingSlashRedirect: true,

  // The rest is for this workspace alone, where `@latchkey/core` is TypeScript in another folder: what is
  // published is JavaScript, and needs neither. The types are for tsc, with our own settings.
  turbopack: { root: join(import.meta.dirname, '../../../..') },
  typescript: { ignoreBuildErrors: true },
}

export default config
