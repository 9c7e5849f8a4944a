import { getToken } from '@latchkey/next'
import { latchkey } from '../../../auth.ts'

export async function GET(): Promise<Response> {
  const token = await getToken(latchkey)
  return Response.json(token?.sub ?? null)
}
