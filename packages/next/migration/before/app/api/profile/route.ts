import { getToken } from 'next-auth/jwt'
import type { NextRequest } from 'next/server'

/** The user's own profile, from GitHub. */
export async function GET(req: NextRequest) {
  const token = await getToken({ req })
  if (!token) return Response.json(null, { status: 401 })
  const headers = { authorization: `Bearer ${token.accessToken}` }
  const response = await fetch(`${process.env.GITHUB_URL}/api/v3/user`, { headers })
  return Response.json({ id: token.sub, role: token.role, profile: await response.json() })
}
