import type { MarkdownRenderer } from 'vitepress'
import { en } from '../../../packages/core/src/pages/languages/en.ts'

type State = Parameters<Parameters<MarkdownRenderer['core']['ruler']['push']>[1]>[0]
type Token = State['tokens'][number]

const PAGE = 'reference/errors'

/** Makes every error code that a page shows in backquotes a link to its section. */
export function linkErrorCodes(md: MarkdownRenderer): void {
  md.core.ruler.push('error-codes', (state) => {
    const { relativePath }: { readonly relativePath?: unknown } = Object(state.env)
    if (relativePath === `${PAGE}.md`) return
    state.tokens.forEach((token, i) => {
      const isHeading = state.tokens[i - 1]?.type === 'heading_open'
      if (token.type === 'inline' && !isHeading) token.children = addLinks(state, token)
    })
  })
}

function addLinks(state: State, { children }: Token): Token[] {
  let depth = 0 // of links: one cannot contain another
  return (children ?? []).flatMap((child) => {
    depth += child.type === 'link_open' ? 1 : child.type === 'link_close' ? -1 : 0
    const isCode = child.type === 'code_inline' && Object.hasOwn(en.errors, child.content)
    return isCode && depth === 0 ? toLink(state, child) : [child]
  })
}

function toLink(state: State, code: Token): Token[] {
  const open = new state.Token('link_open', 'a', 1)
  open.attrs = [['href', `/${PAGE}#${code.content.toLowerCase()}`]]
  return [open, code, new state.Token('link_close', 'a', -1)]
}
