import { auth } from '../../../auth.ts'

export async function GET(): Promise<Response> {
  return Response.json(await auth())
}
