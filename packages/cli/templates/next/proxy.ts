import { withAuth } from '@latchkey/next/proxy'
import { latchkey } from './auth'

// Redirects visitors of these pages to the sign-in page. It is the first check: a page checks again.
export const proxy = withAuth(latchkey)

export const config = { matcher: ['/account/:path*'] }
