import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: 'client',
  // The server answers /app/ with the files of dist/app.
  base: '/app/',
  build: { outDir: '../dist/app', emptyOutDir: true },
  plugins: [react()],
})
