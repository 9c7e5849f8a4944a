import { StrictMode, createElement, useEffect } from 'react'
import type { ReactElement, ReactNode } from 'react'
import { testPage } from './test-page.ts'

/** What `next-auth/react` and `@latchkey/client/react` have in common, as these pages use it. */
export interface ReactModule {
  readonly SessionProvider: (props: {
    children: ReactNode
    session?: never
    refetchInterval?: number
  }) => ReactNode
  readonly useSession: (options?: { required: boolean }) => {
    readonly status: string
    readonly data: unknown
    readonly update: (data?: unknown) => Promise<unknown>
  }
}

interface Shown {
  readonly user?: { readonly name?: string | null }
  readonly note?: string | null
}

/** The whole application: the session's status, and whose it is. */
export function App({
  auth,
  required,
}: {
  readonly auth: ReactModule
  readonly required: boolean
}): ReactElement {
  const { status, data, update } = required ? auth.useSession({ required }) : auth.useSession()
  const { user, note } = (data ?? {}) as Shown
  const text = [status, user?.name, note].filter(Boolean).join(' ')
  useEffect(() => {
    const page = testPage()
    if (page.seen.at(-1) !== text) page.seen.push(text)
    page.update = update
  }, [text, update])
  return createElement('p', null, text)
}

export function view(auth: ReactModule, session: unknown, search = ''): ReactElement {
  const query = new URLSearchParams(search)
  const props = {
    ...(session !== undefined && { session: session as never }),
    ...(query.has('interval') && { refetchInterval: Number(query.get('interval')) }),
  }
  const children = createElement(App, { auth, required: query.has('required') })
  const provider = createElement(auth.SessionProvider, { ...props, children })
  return createElement(StrictMode, null, provider)
}
