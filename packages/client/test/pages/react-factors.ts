import * as auth from '@latchkey/client/react'
import * as factors from '@latchkey/client/react-factors'
import { exposeParts } from './expose-parts.ts'

exposeParts({ ...auth, ...factors })
