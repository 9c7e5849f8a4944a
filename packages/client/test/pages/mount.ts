import { createRoot, hydrateRoot } from 'react-dom/client'
import { getTestPage } from './test-page.ts'
import { createView } from './view.ts'
import type { ReactModule } from './view.ts'

/** Renders the application. */
export function mount(auth: ReactModule): void {
  const page = getTestPage<ReactModule>()
  Object.assign(page, { auth, shownTexts: [], errors: [] })
  createRoot(document.getElementById('root') as HTMLElement).render(
    createView(auth, undefined, location.search),
  )
}

/** Hydrates what the server rendered with a session. */
export function hydrate(auth: ReactModule, session: unknown): void {
  const page = getTestPage<ReactModule>()
  Object.assign(page, { auth, shownTexts: [], errors: [] })
  hydrateRoot(document.getElementById('root') as HTMLElement, createView(auth, session), {
    onRecoverableError: (error) => page.errors.push(String(error)),
  })
}
