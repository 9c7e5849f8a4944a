import type { Provider } from '../ports/provider.ts'
import { html, raw } from './html.ts'
import type { Markup } from './html.ts'

/** What a mark depends on. */
export type MarkedProvider = Pick<Provider, 'id' | 'type' | 'mark'> &
  Partial<Pick<Provider, 'name'>>

/** Renders the mark of a provider: its own, or the first letter of the name of an identity provider. */
export function renderMark({ type, mark, name = '' }: MarkedProvider): Markup | undefined {
  if (mark !== undefined) return raw(mark)
  if (type !== 'oauth' && type !== 'oidc') return undefined
  const [initial = ''] = name
  return html`<svg viewBox="0 0 24 24" fill="currentColor">
    <circle cx="12" cy="12" r="11" opacity=".15" />
    <text x="12" y="17" font-size="14" font-weight="600" text-anchor="middle">
      ${initial.toUpperCase()}
    </text>
  </svg>`
}
