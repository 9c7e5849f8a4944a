import * as auth from 'next-auth/react'
import { mount } from './mount.ts'

mount(auth)
