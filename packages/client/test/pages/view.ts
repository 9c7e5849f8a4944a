import { StrictMode, createElement, useEffect } from 'react'
import type { ReactElement, ReactNode } from 'react'
import { getTestPage } from './test-page.ts'

/** The exports of `next-auth/react` and `@latchkey/client/react` that these pages use. */
export interface ReactModule {
  readonly SessionProvider: (props: {
    children: ReactNode
    session?: never
    refetchInterval?: number
    baseUrl?: string
    basePath?: string
  }) => ReactNode
  readonly useSession: (options?: { required: boolean }) => {
    readonly status: string
    readonly data: unknown
    readonly update: (data?: unknown) => Promise<unknown>
  }
}

interface TestSession {
  readonly user?: { readonly name?: string | null }
  readonly note?: string | null
}

/** Shows the status of the session, the name of its user and the note. */
function App({
  auth,
  required,
}: {
  readonly auth: ReactModule
  readonly required: boolean
}): ReactElement {
  const { status, data, update } = required ? auth.useSession({ required }) : auth.useSession()
  const { user, note } = (data ?? {}) as TestSession
  const text = [status, user?.name, note].filter(Boolean).join(' ')
  useEffect(() => {
    const page = getTestPage()
    if (page.shownTexts.at(-1) !== text) page.shownTexts.push(text)
    page.update = update
  }, [text, update])
  return createElement('p', null, text)
}

/**
 * Creates the application in StrictMode.
 *
 * @param search The query of the page's URL: `interval` in seconds, `required`, `baseUrl`, `basePath`
 */
export function createView(auth: ReactModule, session: unknown, search = ''): ReactElement {
  const query = new URLSearchParams(search)
  const props = {
    ...(session !== undefined && { session: session as never }),
    ...(query.has('interval') && { refetchInterval: Number(query.get('interval')) }),
    ...toOption(query, 'baseUrl'),
    ...toOption(query, 'basePath'),
  }
  const children = createElement(App, { auth, required: query.has('required') })
  const provider = createElement(auth.SessionProvider, { ...props, children })
  return createElement(StrictMode, null, provider)
}

function toOption(query: URLSearchParams, name: string): Readonly<Record<string, string>> {
  const value = query.get(name)
  return value === null ? {} : { [name]: value }
}
