import * as auth from 'next-auth/react'
import { mount } from './mount.ts'

// The client of next-auth sends no cookies to another origin, and has no option for it.
const { fetch } = globalThis
globalThis.fetch = (input, init) => fetch(input, { ...init, credentials: 'include' })

mount(auth)
