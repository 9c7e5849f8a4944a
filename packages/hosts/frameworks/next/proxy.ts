import { withAuth } from '@latchkey/next/proxy'
import { latchkey } from './auth.ts'

export const proxy = withAuth(latchkey)

export const config = { matcher: ['/account/:path*', '/pages-account'] }
