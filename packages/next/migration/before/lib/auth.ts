import type { NextAuthOptions } from 'next-auth'
import GitHubProvider from 'next-auth/providers/github'

const github = process.env.GITHUB_URL // The Enterprise Server of the company

export const authOptions: NextAuthOptions = {
  providers: [
    GitHubProvider({
      clientId: process.env.GITHUB_ID ?? '',
      clientSecret: process.env.GITHUB_SECRET ?? '',
      issuer: `${github}/login/oauth`,
      authorization: { url: `${github}/login/oauth/authorize` },
      token: `${github}/login/oauth/access_token`,
      userinfo: { url: `${github}/api/v3/user` },
    }),
  ],
  pages: { signIn: '/signin' },
  callbacks: {
    jwt({ token, account, profile }) {
      if (account) {
        token.role = (profile as { site_admin?: boolean }).site_admin ? 'admin' : 'member'
        token.accessToken = account.access_token ?? ''
      }
      return token
    },
    session({ session, token }) {
      session.user.id = token.sub ?? ''
      session.user.role = token.role
      return session
    },
  },
  events: {
    signIn: ({ user }) => console.log(`signed in: ${user.id}`),
  },
}
