import { raw } from '../../../other-auth.ts'

export default raw.apiHandler

// The service reads the body itself, with its own limits.
export const config = { api: { bodyParser: false } }
