import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { extname, join } from 'node:path'

const folder = 'dist'
const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
}

/** The files that `vite build` has written, by their paths: no other file can be requested. */
const files = new Map(
  (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [])
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(folder.length).replaceAll('\\', '/'), path]),
)

/** Returns a file of the React application; undefined if the path names none. */
export function serveClient(pathname: string) {
  const path = files.get(pathname.endsWith('/') ? `${pathname}index.html` : pathname)
  if (path === undefined) return undefined
  const type = types[extname(path)] ?? 'application/octet-stream'
  return new Response(readFileSync(path), { headers: { 'content-type': type } })
}
