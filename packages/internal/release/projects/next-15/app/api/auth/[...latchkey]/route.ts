import { handlers } from '../../../../auth'

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = handlers
