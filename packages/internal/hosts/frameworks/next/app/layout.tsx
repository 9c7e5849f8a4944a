import type { ReactNode } from 'react'

interface Properties {
  readonly children: ReactNode
}

export default function Layout({ children }: Properties): ReactNode {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
