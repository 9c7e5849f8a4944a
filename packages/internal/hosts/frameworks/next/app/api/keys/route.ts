import { latchkey } from '../../../auth.ts'

export async function GET(request: Request): Promise<Response> {
  const service = await latchkey.service()
  const recent = await service.requireRecent(request, { maxAge: 300 })
  if (recent instanceof Response) return recent
  return Response.json({ keys: [] }, { headers: recent.headers })
}
