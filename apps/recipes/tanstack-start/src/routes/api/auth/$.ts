import { createFileRoute } from '@tanstack/react-router'
import { auth } from '../../../auth.ts'

export const Route = createFileRoute('/api/auth/$')({
  server: { handlers: { ANY: ({ request }) => auth.handle(request) } },
})
