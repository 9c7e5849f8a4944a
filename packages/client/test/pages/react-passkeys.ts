import * as auth from '@latchkey/client/react'
import * as passkeys from '@latchkey/client/react-passkeys'
import { exposeParts } from './expose-parts.ts'

exposeParts({ ...auth, ...passkeys })
