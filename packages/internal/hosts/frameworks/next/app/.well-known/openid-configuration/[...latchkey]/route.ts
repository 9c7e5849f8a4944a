import { handlers } from '../../../../auth.ts'

export const { GET, OPTIONS, POST } = handlers
