import { edge } from '../../../../other-auth.ts'

export const runtime = 'edge'

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = edge.handlers
