import type { Edit } from '../lib/edit-text.ts'
import { editFile } from './project-file.ts'
import type { ProjectFile, Template } from './project-file.ts'

/** Adds the link to the page, beside the one to the account. */
function addLink(indent: number): Edit {
  const account = `<a class="button" href="/account">Your account</a>\n`
  return [account, `${account}${' '.repeat(indent)}<a href="/app/">In React</a>\n`]
}

/** The changes to files of a template that the page needs; the files of `templates/react` are new. */
const changes: Readonly<Record<Template, Readonly<Record<string, readonly Edit[]>>>> = {
  hono: {
    'src/app.ts': [
      [
        `import { latchkey, requireSession } from '@latchkey/hono'\n`,
        `import { serveStatic } from '@hono/node-server/serve-static'\nimport { latchkey, requireSession } from '@latchkey/hono'\n`,
      ],
      [
        `  .get('/favicon.svg'`,
        `  // The files that \`vite build\` has written.\n  .use('/app/*', serveStatic({ root: './dist' }))\n  .get('/favicon.svg'`,
      ],
      addLink(12),
    ],
  },
  node: {
    'src/app.ts': [
      [
        `import { auth } from './auth.ts'\n`,
        `import { auth } from './auth.ts'\nimport { serveClient } from './client-files.ts'\n`,
      ],
      [
        `  // The headers renew`,
        `  const file = serveClient(pathname)\n  if (file) return file\n\n  // The headers renew`,
      ],
      addLink(10),
    ],
  },
  workers: {
    'src/app.ts': [addLink(16)],
    'wrangler.jsonc': [
      [
        `  "compatibility_date": "2026-07-01",\n`,
        `  "compatibility_date": "2026-07-01",\n  // \`vite build\` writes the React application, whose files the Worker does not see.\n  "build": { "command": "vite build", "watch_dir": "client" },\n  "assets": { "directory": "dist" },\n`,
      ],
    ],
  },
  next: {
    'app/page.tsx': [
      [
        `        <a href="/api/auth/signout">`,
        `        <a href="/profile">In the browser</a>\n        <a href="/api/auth/signout">`,
      ],
    ],
  },
}

/** Code for the browser has other types than the server. */
const clientSettings = `{
  "extends": "../tsconfig.json",
  "compilerOptions": {
    "module": "ESNext",
    "moduleResolution": "Bundler",
    "lib": ["ES2023", "DOM", "DOM.Iterable"],
    "jsx": "react-jsx"
  },
  "include": [".", "../vite.config.ts"]
}
`

/** Makes the changes to the files of a template that its React page needs. */
export function addReactPage(
  files: readonly ProjectFile[],
  template: Template,
): readonly ProjectFile[] {
  const settings = { path: 'client/tsconfig.json', content: clientSettings }
  const added = template === 'next' ? [] : [settings]
  return Object.entries(changes[template]).reduce<readonly ProjectFile[]>(
    (changed, [path, edits]) => editFile(changed, path, edits),
    [...files, ...added],
  )
}

type Packages = Readonly<Record<string, string>>

/** Returns the packages that the page needs, with their versions. */
export function reactDependencies(template: Template): {
  readonly dependencies: Packages
  readonly devDependencies: Packages
} {
  const client = { '@latchkey/client': 'latest' }
  if (template === 'next') return { dependencies: client, devDependencies: {} }
  return {
    dependencies: {
      ...client,
      ...(template === 'hono' && { '@hono/node-server': '^2.1.8' }),
      react: '^19',
      'react-dom': '^19',
    },
    devDependencies: {
      '@types/react': '^19',
      '@types/react-dom': '^19',
      '@vitejs/plugin-react': '^6',
      vite: '^8',
    },
  }
}

/** Returns the scripts of a project whose page is built by Vite. */
export function reactScripts(
  scripts: Readonly<Record<string, string>>,
  template: Template,
): Readonly<Record<string, string>> {
  if (template === 'next') return scripts
  const { types = '', ...others } = scripts
  const built = { build: 'vite build', types: `${types} && tsc -p client` }
  if (template === 'workers') return { ...others, ...built }
  const started = Object.entries(others).map(([name, command]) => [
    name,
    `vite build && ${command}`,
  ])
  return { ...Object.fromEntries(started), ...built }
}
