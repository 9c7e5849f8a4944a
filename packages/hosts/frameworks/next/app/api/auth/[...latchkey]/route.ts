import { auth } from '../../../../auth.ts'

const serve = (request: Request): Promise<Response> => auth.handle(request)

// All methods that Next supports: it answers a missing one, such as OPTIONS, itself.
export {
  serve as DELETE,
  serve as GET,
  serve as HEAD,
  serve as OPTIONS,
  serve as PATCH,
  serve as POST,
  serve as PUT,
}
