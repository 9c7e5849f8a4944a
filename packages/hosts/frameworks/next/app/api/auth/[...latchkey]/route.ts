import { auth } from '../../../../auth.ts'

const serve = (request: Request): Promise<Response> => auth.handle(request)

// All that Next knows: what is missing here, such as OPTIONS, it would answer by itself.
export {
  serve as DELETE,
  serve as GET,
  serve as HEAD,
  serve as OPTIONS,
  serve as PATCH,
  serve as POST,
  serve as PUT,
}
