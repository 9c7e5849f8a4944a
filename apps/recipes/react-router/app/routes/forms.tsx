import { getCsrfToken, signIn, signOut } from '@latchkey/core/forms'
import type { ReactNode } from 'react'
import { data, redirect, useLoaderData } from 'react-router'
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router'
import { auth } from '../auth.server.ts'
import { sessionContext } from '../session.server.ts'

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { csrfToken, headers } = await getCsrfToken(auth, request)
  return data({ csrfToken, name: context.get(sessionContext)?.user.name }, { headers })
}

export async function action({ request, context }: ActionFunctionArgs) {
  const options = { callbackUrl: '/forms' }
  const { url, headers } = context.get(sessionContext)
    ? await signOut(auth, request, options)
    : await signIn(auth, request, 'passport', options)
  return redirect(url, { status: 303, headers })
}

export default function Forms(): ReactNode {
  const { csrfToken, name } = useLoaderData<typeof loader>()
  return (
    <form method="post">
      <p>{name === undefined ? 'Hello, stranger' : `Hello, ${name}`}</p>
      <input type="hidden" name="csrfToken" value={csrfToken} />
      <button>{name === undefined ? 'Sign in' : 'Sign out'}</button>
    </form>
  )
}
