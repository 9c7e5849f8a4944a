import type { ReactNode } from 'react'
import { CsrfToken } from '../../auth.ts'

/** A page that the matcher of the proxy leaves out: the form has no token. */
export default function Unmatched(): ReactNode {
  return (
    <form method="post" action="/api/auth/signout">
      <CsrfToken />
    </form>
  )
}
