import node from '@astrojs/node'
import { defineConfig } from 'astro/config'

export default defineConfig({
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  // Astro would refuse identity providers that answer by a form, and every client that sends no
  // `Origin`. The service checks for itself; what else takes forms here would have to as well.
  security: { checkOrigin: false },
})
