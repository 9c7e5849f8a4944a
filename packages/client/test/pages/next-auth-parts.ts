import * as auth from 'next-auth/react'
import { exposeParts } from './expose-parts.ts'

exposeParts(auth)
