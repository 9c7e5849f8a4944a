import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  // SvelteKit 2 lets `vite preview` grant CORS to every origin: this comes after it, and turns that off.
  plugins: [sveltekit(), { name: 'no-cors', config: () => ({ preview: { cors: false } }) }],
})
