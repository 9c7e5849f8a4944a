import * as auth from '@latchkey/client/react'
import { mount } from './mount.ts'

mount(auth)
