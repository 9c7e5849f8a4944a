import * as react from 'react'
import { createRoot } from 'react-dom/client'

/** What a test needs to render another page. */
export interface Parts<Module> {
  readonly auth: Module
  readonly react: typeof react
  readonly render: (element: react.ReactNode) => void
}

/** Exposes a client's module and React to the test. */
export function exposeParts(auth: object): void {
  const root = createRoot(document.getElementById('root') as HTMLElement)
  const parts: Parts<object> = { auth, react, render: (element) => root.render(element) }
  Object.assign(globalThis, parts)
}
