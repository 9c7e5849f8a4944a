import * as auth from '@hono/auth-js/react'
import { mount } from './mount.ts'

mount(auth)
