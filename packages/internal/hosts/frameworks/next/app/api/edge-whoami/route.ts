import { edge } from '../../../other-auth.ts'

export const runtime = 'edge'

export async function GET(): Promise<Response> {
  return Response.json(await edge.auth())
}
