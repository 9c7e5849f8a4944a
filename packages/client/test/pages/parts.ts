import * as auth from '@latchkey/client/react'
import { exposeParts } from './expose-parts.ts'

exposeParts(auth)
