import { auth } from '../auth.server.ts'

const serve = ({ request }: { readonly request: Request }): Promise<Response> =>
  auth.handle(request)
export { serve as action, serve as loader }
