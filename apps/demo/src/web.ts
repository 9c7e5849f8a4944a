import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import { build } from 'vite'
import { styleSheet } from './page.ts'

/** Headers of the pages that run scripts: only scripts of this origin. */
const headers: Readonly<Record<string, string>> = {
  'cache-control': 'private, no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** Builds the two pages of `web/` with Vite, and returns an application that serves them under `/web/`. */
export async function createPages(): Promise<Hono> {
  const root = fileURLToPath(new URL('web/', import.meta.url))
  const built = await build({
    root,
    base: '/web/',
    configFile: false,
    logLevel: 'error',
    // An optional peer dependency of the client: the client may have no copy, or a different one.
    resolve: { dedupe: ['react', 'react-dom'] },
    build: { write: false, rollupOptions: { input: [`${root}client.html`, `${root}react.html`] } },
    plugins: [
      {
        // The pages share the style sheet of the demonstration's other pages.
        name: 'style-sheet',
        enforce: 'pre',
        resolveId: (id) => (id.endsWith('/style.css') ? `${root}style.css` : null),
        load: (id) => (id.endsWith('/web/style.css') ? styleSheet : null),
      },
    ],
  })
  if (!('output' in built)) throw new Error('expected one build')
  const app = new Hono()
  for (const file of built.output) {
    const body = String(file.type === 'chunk' ? file.code : file.source)
    const type = types[file.fileName.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
    app.get(`/web/${file.fileName}`, (c) => c.body(body, 200, { ...headers, 'content-type': type }))
  }
  return app
}
