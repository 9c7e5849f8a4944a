import { withAuth } from 'next-auth/middleware'

export default withAuth({
  pages: { signIn: '/signin' },
  callbacks: {
    authorized: ({ req, token }) =>
      req.nextUrl.pathname === '/admin' ? token?.role === 'admin' : token !== null,
  },
})

export const config = { matcher: ['/admin', '/members', '/report'] }
