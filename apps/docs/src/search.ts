import type { MarkdownEnv } from 'vitepress'

/** The part of the renderer that this uses. */
interface Renderer {
  readonly render: (source: string, env: MarkdownEnv) => string
}

/**
 * How the search box ranks. VitePress sends the function to the browser as text, so it uses nothing outside of it.
 */
export const searchOptions = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 4, text: 2, titles: 1 },
  /** Guides come before what is generated from the code. */
  boostDocument(id: string): number {
    if (id.includes('/reference/changelog')) return 0.1
    if (id.includes('/reference/')) return 0.4
    if (
      /\/guide\/(?:options|changes|misconfigurations)|\/examples|\/advisories|\/extend\/contribute/.test(
        id,
      )
    )
      return 0.4
    return id.includes('#') ? 1 : 2
  },
}

const REPETITIONS = 8

/**
 * Renders a page for the index: below its title are the `keywords` of its front matter, such as synonyms. The pages of the API are left
 * out: they would be four fifths of an index that a browser loads at the first query.
 */
export function renderForSearch(source: string, env: MarkdownEnv, md: Renderer): string {
  if (env.relativePath.startsWith('reference/api/')) return ''
  const html = md.render(source, env)
  const { keywords }: { readonly keywords?: unknown } = env.frontmatter ?? {}
  if (typeof keywords !== 'string') return html
  // A word counts more if it is repeated: a page is about its keywords, and others mention them.
  return html.replace('</h1>', `</h1>${`<p>${keywords}</p>`.repeat(REPETITIONS)}`)
}
