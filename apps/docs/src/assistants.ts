/** Writes the manual for assistants that read it as text: `llms.txt`, `llms-full.txt` and each page as Markdown. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listProse } from './markdown.ts'
import { sidebar } from './sidebar.ts'

/** The reference of the API and the list of changes are linked only: they are longer than all guides. */
const linkedOnly = new Set(['/reference/api/', '/reference/changelog'])

/**
 * Writes the files (https://llmstxt.org).
 *
 * @param sources The folder of the generated Markdown
 * @param site The folder of the built site
 */
export function writeForAssistants(sources: string, site: string): void {
  const index = [
    '# Latchkey',
    '',
    '> A sign-in service for the Web platform: one function from Request to Promise<Response>. It speaks the REST',
    '> interface of next-auth v4, and runs on Workers, Node, Deno, Bun, in Hono, Next.js and other frameworks.',
    '',
    '`createAuth` of `@latchkey/core` returns an object whose `handle(request)` answers every route below `/api/auth`.',
    'Providers are imports of `@latchkey/core/providers/<id>`; each storage, capability, mailer and binding is a package.',
    'Everything on these pages in one file: [llms-full.txt](/llms-full.txt).',
  ]
  const full = index.slice(0, 7)
  for (const { text, items } of sidebar) {
    index.push('', `## ${text}`, '')
    for (const { text: title, link } of items) {
      const file = `${link.slice(1)}${link.endsWith('/') ? 'index' : ''}.md`
      const page = readFileSync(join(sources, file), 'utf8')
      const summary = getSummary(page)
      index.push(`- [${title}](/${file})${summary && `: ${summary}`}`)
      mkdirSync(dirname(join(site, file)), { recursive: true })
      cpSync(join(sources, file), join(site, file))
      if (!linkedOnly.has(link)) full.push('', `<!-- /${file} -->`, '', page.trim())
    }
  }
  writeFileSync(join(site, 'llms.txt'), `${index.join('\n')}\n`)
  writeFileSync(join(site, 'llms-full.txt'), `${full.join('\n')}\n`)
}

/** Returns the first sentence of a page; empty without one. */
function getSummary(page: string): string {
  const lines = listProse(page).map(({ line }) => line)
  const first = lines.findIndex((line) => /^[A-Z`[]/.test(line) && !line.endsWith('---'))
  if (first === -1) return ''
  const rest = lines.slice(first)
  const end = rest.findIndex((line) => line.trim() === '')
  const paragraph = rest.slice(0, end === -1 ? undefined : end).join(' ')
  const [sentence = paragraph] = /^.*?[.:](?=\s|$)/.exec(paragraph) ?? []
  return sentence
    .replaceAll(/ \(\[more\]\([^)]*\)\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[.:]$/, '')
}
