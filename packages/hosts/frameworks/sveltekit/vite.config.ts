import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [
    sveltekit({
      // SvelteKit would refuse identity providers that answer by a form, and every client that sends
      // no `Origin`. The service checks for itself; what else takes forms here would have to as well.
      csrf: { trustedOrigins: ['*'] },
    }),
  ],
  // `vite preview` alone would grant CORS to other local addresses.
  preview: { cors: false },
})
