import type { Page } from 'playwright-core'
import type { ServedPages } from './serve-pages.ts'

/** One state of one page. */
export interface Scene {
  readonly name: string
  /** Opens the page in a browser without cookies. */
  readonly open: (page: Page, served: ServedPages) => Promise<void>
}
