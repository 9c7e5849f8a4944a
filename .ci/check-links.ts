/**
 * Checks that every link of the Markdown files and of the built manual leads somewhere: to a file, a
 * page or an anchor that exists. Links to other sites are not requested.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { listHeadings, listProse } from '../apps/docs/src/markdown.ts'

const site = 'apps/docs/dist'
const problems: string[] = []
let count = 0

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
}).split('\n')
// Pages of the manual are checked as they are built.
for (const file of files.filter((name) => name !== '' && !name.startsWith('apps/docs/pages/'))) {
  const prose = listProse(readFileSync(file, 'utf8')).map(({ line }) =>
    line.replaceAll(/`[^`]*`/g, ''),
  )
  for (const [, target = ''] of prose.join('\n').matchAll(/\]\(([^)\s]+)\)/g))
    checkFile(file, target)
}

if (!existsSync(site)) throw new Error(`${site} is missing: run pnpm manual`)
const ids = new Map<string, Set<string>>()
for (const page of globSync('**/*.html', { cwd: site })) {
  const html = readFileSync(join(site, page), 'utf8')
  ids.set(page, new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id)))
}
for (const page of ids.keys()) {
  const html = readFileSync(join(site, page), 'utf8')
  for (const [, target = ''] of html.matchAll(
    /<(?:a|img|link|script)\b[^>]*?\s(?:href|src)="([^"]*)"/g,
  )) {
    checkPage(page, target.replaceAll('&amp;', '&'))
  }
}

for (const problem of problems) console.error(problem)
console.log(`${count} links, ${problems.length} of them dead`)
process.exitCode = problems.length === 0 ? 0 : 1

function isOtherSite(target: string): boolean {
  return /^([a-z]+:|\/\/)/i.test(target)
}

function checkFile(file: string, target: string): void {
  if (isOtherSite(target)) return
  count += 1
  const [path = '', anchor] = target.split('#')
  const found = path === '' ? file : normalize(join(dirname(file), path))
  if (!existsSync(found)) problems.push(`${file}: ${target} does not exist`)
  else if (anchor !== undefined && !hasHeading(found, anchor)) {
    problems.push(`${file}: ${target} has no such heading`)
  }
}

function hasHeading(path: string, anchor: string): boolean {
  const file = statSync(path).isDirectory() ? join(path, 'README.md') : path
  return listHeadings(readFileSync(file, 'utf8')).some((heading) => heading.anchor === anchor)
}

function checkPage(page: string, target: string): void {
  if (isOtherSite(target)) return
  count += 1
  const url = new URL(target, `http://site/${page}`)
  const path = decodeURIComponent(url.pathname).slice(1)
  const found = [path, `${path}.html`, join(path, 'index.html')].find(
    (name) => name !== '' && existsSync(join(site, name)) && statSync(join(site, name)).isFile(),
  )
  if (found === undefined) problems.push(`${relative('.', site)}/${page}: ${target} does not exist`)
  const anchor = decodeURIComponent(url.hash.slice(1))
  if (found === undefined || anchor === '' || ids.get(found)?.has(anchor)) return
  problems.push(`${site}/${page}: ${target} has no such anchor`)
}
