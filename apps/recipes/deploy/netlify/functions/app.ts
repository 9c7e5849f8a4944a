import { app } from '../../src/app.ts'

interface Context {
  readonly ip: string
  readonly waitUntil: (promise: Promise<unknown>) => void
}

export default (request: Request, context: Context): Promise<Response> =>
  app(request, {
    clientIp: () => context.ip,
    waitUntil: (promise) => context.waitUntil(promise),
  })

export const config = { path: '/*', preferStatic: true }
