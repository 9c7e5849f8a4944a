import { createRoot, hydrateRoot } from 'react-dom/client'
import { testPage } from './test-page.ts'
import { view } from './view.ts'
import type { ReactModule } from './view.ts'

/** Shows the application. */
export function mount(auth: ReactModule): void {
  const page = testPage<ReactModule>()
  Object.assign(page, { auth, seen: [], errors: [] })
  createRoot(document.getElementById('root') as HTMLElement).render(
    view(auth, undefined, location.search),
  )
}

/** Takes over what the server has rendered with a session. */
export function hydrate(auth: ReactModule, session: unknown): void {
  const page = testPage<ReactModule>()
  Object.assign(page, { auth, seen: [], errors: [] })
  hydrateRoot(document.getElementById('root') as HTMLElement, view(auth, session), {
    onRecoverableError: (error) => page.errors.push(String(error)),
  })
}
