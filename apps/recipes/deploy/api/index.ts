import { app } from '../src/app.ts'

// Vercel replaces the header that a client sends.
export default {
  fetch: (request: Request): Promise<Response> =>
    app(request, { clientIp: () => request.headers.get('x-real-ip') ?? undefined }),
}
