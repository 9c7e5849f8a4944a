import { createReactClient } from '@latchkey/client/react'
import type { createService } from '../src/auth.ts'

type Service = ReturnType<typeof createService>

export const { SessionProvider, useSession, signIn, signOut } = createReactClient<Service>()
