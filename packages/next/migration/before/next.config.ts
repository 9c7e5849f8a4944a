import { join } from 'node:path'
import type { NextConfig } from 'next'

// For this workspace only, in which the packages are TypeScript in other folders.
const config: NextConfig = {
  turbopack: { root: join(import.meta.dirname, '../../../..') },
  typescript: { ignoreBuildErrors: true },
}

export default config
