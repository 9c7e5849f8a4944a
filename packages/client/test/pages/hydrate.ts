import * as auth from '@latchkey/client/react'
import { hydrate } from './mount.ts'

const session: unknown = JSON.parse(document.getElementById('session')?.textContent ?? 'null')
hydrate(auth, session)
