import node from '@astrojs/node'
import { defineConfig } from 'astro/config'

export default defineConfig({
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  // Astro's check refuses identity providers that answer with a form, and clients that send no
  // `Origin`. The service has its own check; other forms of the application need one too.
  security: { checkOrigin: false },
})
