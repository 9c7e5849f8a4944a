import * as auth from '@latchkey/client/react'
import * as react from 'react'
import { createRoot } from 'react-dom/client'

/** What a test needs to render a page of its own. */
export interface Parts {
  readonly auth: typeof auth
  readonly react: typeof react
  readonly render: (element: react.ReactNode) => void
}

const root = createRoot(document.getElementById('root') as HTMLElement)
const parts: Parts = { auth, react, render: (element) => root.render(element) }
Object.assign(globalThis, parts)
