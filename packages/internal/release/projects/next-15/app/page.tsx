import { headers } from 'next/headers'

export default async function Page() {
  const visitor = (await headers()).get('x-visitor')
  return visitor === 'stranger' ? <a href="/api/auth/signin">Sign in</a> : <p>Hello</p>
}
