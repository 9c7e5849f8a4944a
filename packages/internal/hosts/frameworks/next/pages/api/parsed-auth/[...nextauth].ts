import { parsed } from '../../../other-auth.ts'

export default parsed.apiHandler
