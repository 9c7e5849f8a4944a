/**
 * Expands the lines `<!--@include: path#anchor-->` of the pages, so that each fact is written once: the
 * manual shows sections of the READMEs. VitePress has the line too, but leaves links of the included text
 * relative to the page, takes no heading as anchor, and says nothing if a file is missing.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { listHeadings, mapProse } from './markdown.ts'

const root = resolve(import.meta.dirname, '../../..')

/** The place of a text in the manual. */
interface Place {
  readonly page: string
  readonly anchor: string
}

/** A section of a file: the lines below its heading. */
interface Section {
  readonly text: string
  readonly level: number
  /** The anchors of the section and of its subsections. */
  readonly anchors: readonly string[]
}

const line = /^<!--@include: (\S+?)(#[^\s]*)?-->$/gm

/** Returns the pages, by their paths in the site, with what they include. */
export function expandIncludes(
  pages: ReadonlyMap<string, string>,
  folder: string,
): Map<string, string> {
  const places = findPlaces(pages, folder)
  return new Map(
    [...pages].map(([page, text]) => {
      const expanded = text.replaceAll(
        line,
        (_, path: string, anchor: string | undefined, at: number) => {
          const file = relative(root, resolve(folder, dirname(page), path))
          const { text: section, level } = readSection(file, anchor)
          const shift = getLevel(text.slice(0, at)) - level
          return mapProse(section, (prose) => {
            const shifted = prose.replace(/^(#{1,6})(?= )/, (marks) =>
              '#'.repeat(marks.length + shift),
            )
            return rewriteLinks(shifted, file, page, places)
          })
        },
      )
      return [page, expanded] as const
    }),
  )
}

/** Returns where the manual shows each file, as `path`, and each of its sections, as `path#anchor`. */
function findPlaces(pages: ReadonlyMap<string, string>, folder: string): Map<string, Place> {
  const places = new Map<string, Place>()
  for (const [page, text] of pages) {
    placePage(page, text, folder, places)
    for (const { 1: path = '', 2: anchor, index } of text.matchAll(line)) {
      const file = relative(root, resolve(folder, dirname(page), path))
      const above = listHeadings(text.slice(0, index)).at(-1)
      const at = { page, anchor: above && above.level > 1 ? `#${above.anchor}` : '' }
      const [own, ...others] = readSection(file, anchor).anchors
      if (anchor === undefined || anchor === '#') places.set(file, at)
      else places.set(`${file}#${own}`, at)
      for (const other of others) places.set(`${file}#${other}`, { page, anchor: `#${other}` })
    }
  }
  return places
}

/** Adds a page itself, which READMEs link to as a file. */
function placePage(page: string, text: string, folder: string, places: Map<string, Place>): void {
  const file = relative(root, join(folder, page))
  places.set(file, { page, anchor: '' })
  for (const { anchor } of listHeadings(text)) {
    places.set(`${file}#${anchor}`, { page, anchor: `#${anchor}` })
  }
}

/**
 * Reads the text below a heading. Without an anchor it reads the whole file, and with the anchor `#` the
 * text before the first section.
 *
 * @throws Error if the file or the heading does not exist
 */
function readSection(file: string, anchor: string | undefined): Section {
  const text = readFileSync(join(root, file), 'utf8')
  const headings = listHeadings(text)
  const [title] = headings
  const own =
    anchor === undefined || anchor === '#'
      ? title
      : headings.find((heading) => `#${heading.anchor}` === anchor)
  if (!own) throw new Error(`${file} has no heading ${anchor ?? ''}`)
  const next = headings.find(
    ({ line: at, level }) => at > own.line && (anchor === '#' || level <= own.level),
  )
  const inside = headings.filter(({ line: at }) => at >= own.line && at < (next?.line ?? Infinity))
  return {
    text: text
      .split('\n')
      .slice(own.line + 1, next?.line)
      .join('\n')
      .trim(),
    level: own.level,
    anchors: inside.map((heading) => heading.anchor),
  }
}

/** The level of the last heading. */
function getLevel(text: string): number {
  return listHeadings(text).at(-1)?.level ?? 0
}

/** Rewrites the links of an included line as links of the site. */
function rewriteLinks(
  prose: string,
  file: string,
  page: string,
  places: ReadonlyMap<string, Place>,
): string {
  return prose.replaceAll(
    /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
    (link: string, image: string, text: string, href: string) => {
      if (/^[a-z]+:/.test(href)) return link
      const target = toTarget(file, href)
      if (image === '!') return `![${text}](/${target.split('/').slice(-2).join('/')})`
      const place = places.get(target) ?? places.get(target.replace(/#.*/, ''))
      return place ? `[${text}](${toHref(page, place)})` : toSourceLink(text, target)
    },
  )
}

/** Returns the file, with the anchor, that a link leads to, relative to the root. */
function toTarget(file: string, href: string): string {
  const [path = '', anchor] = href.split('#')
  let target = path === '' ? file : relative(root, resolve(root, dirname(file), path))
  const absolute = join(root, target)
  if (!existsSync(absolute)) throw new Error(`${file} links to ${href}, which does not exist`)
  if (statSync(absolute).isDirectory() && existsSync(join(absolute, 'README.md'))) {
    target = join(target, 'README.md')
  }
  return anchor === undefined ? target : `${target}#${anchor}`
}

function toHref(page: string, place: Place): string {
  if (place.page === page) return place.anchor === '' ? '#' : place.anchor
  const path = relative(dirname(page), place.page)
  return `${path.startsWith('.') ? path : `./${path}`}${place.anchor}`
}

/** A file that the manual does not show: a link, if the site is built for a repository. */
function toSourceLink(text: string, target: string): string {
  const repository = process.env['REPOSITORY_URL']
  return repository === undefined ? text : `[${text}](${repository}/blob/main/${target})`
}
