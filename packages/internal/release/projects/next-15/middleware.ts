import { withAuth } from '@latchkey/next/proxy'
import { NextResponse } from 'next/server'
import { latchkey } from './auth'

export const middleware = withAuth(latchkey, {
  authorized: () => true,
  onAuthorized({ session, request }) {
    const headers = new Headers(request.headers)
    headers.set('x-visitor', session?.user.id ?? 'stranger')
    return NextResponse.next({ request: { headers } })
  },
})

// The database needs Node.
export const config = { matcher: ['/'], runtime: 'nodejs' }
