import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [
    sveltekit({
      // SvelteKit's check refuses identity providers that answer with a form, and clients that send
      // no `Origin`. The service has its own check; other forms of the application need one too.
      csrf: { trustedOrigins: process.env['CHECK_ORIGIN'] ? [] : ['*'] },
    }),
  ],
  // By default, `vite preview` grants CORS to other local origins.
  preview: { cors: false },
})
