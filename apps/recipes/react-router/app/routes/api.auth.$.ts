import { auth } from '../auth.server.ts'

const serve = ({ request }: { readonly request: Request }): Promise<Response> =>
  auth.programs?.(request) ?? auth.handle(request)
export { serve as action, serve as loader }
