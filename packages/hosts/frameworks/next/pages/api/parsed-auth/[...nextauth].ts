import { parsed } from '../../../pages-auth.ts'

export default parsed.apiHandler
