import type { ReactNode } from 'react'
import { Outlet, Scripts } from 'react-router'
import { readSession } from './session.server.ts'

export const middleware = [readSession]

export default function Root(): ReactNode {
  return (
    <html lang="en">
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  )
}
