import * as auth from 'next-auth-5/react'
import { mount } from './mount.ts'

mount(auth)
