'use client'

import { createReactClient } from '@latchkey/client/react'
import type { latchkey } from '../auth'

type Service = Awaited<ReturnType<typeof latchkey.service>>

export const { SessionProvider, useSession, signIn, signOut } = createReactClient<Service>()
