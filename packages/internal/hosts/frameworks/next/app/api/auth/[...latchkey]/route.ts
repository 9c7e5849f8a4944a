import { handlers } from '../../../../auth.ts'

// All methods that Next supports: it answers a missing one, such as OPTIONS, itself.
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = handlers
