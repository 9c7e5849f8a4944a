import GithubSlugger from 'github-slugger'

/** A heading of a Markdown file. */
export interface Heading {
  /** The number of its line, from 0. */
  readonly line: number
  readonly level: number
  readonly anchor: string
}

/** Lists the headings of a text, without those in code blocks. */
export function listHeadings(text: string): Heading[] {
  const slugger = new GithubSlugger()
  return listProse(text).flatMap(({ line, number }) => {
    const [, marks = '', title = ''] = /^(#{1,6}) (.*)$/.exec(line) ?? []
    if (marks === '') return []
    return [{ line: number, level: marks.length, anchor: slugger.slug(toPlainText(title)) }]
  })
}

/** A line outside of code blocks, and its number from 0. */
interface ProseLine {
  readonly line: string
  readonly number: number
}

/** Lists the lines that are not in code blocks. */
export function listProse(text: string): ProseLine[] {
  let fence = ''
  return text.split('\n').flatMap((line, number) => {
    const [, mark = ''] = /^\s*(`{3,}|~{3,})/.exec(line) ?? []
    if (fence !== '') {
      if (mark.startsWith(fence) && line.trim() === mark) fence = ''
      return []
    }
    fence = mark
    return mark === '' ? [{ line, number }] : []
  })
}

/** Replaces the lines that are not in code blocks. */
export function mapProse(text: string, map: (line: string) => string): string {
  const lines = text.split('\n')
  for (const { line, number } of listProse(text)) lines[number] = map(line)
  return lines.join('\n')
}

function toPlainText(title: string): string {
  return title
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`([^`]*)`/g, '$1')
    .replaceAll(/\*\*?([^*]*)\*\*?/g, '$1')
    .replace(/\s*\{#[^}]*\}$/, '')
}
