// oxlint-disable-next-line import/no-unassigned-import -- it adds what decorators use
import 'reflect-metadata'
import { createListener } from '@latchkey/node'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import type { NextFunction, Request, Response } from 'express'
import { AppModule } from './app.module.ts'
import { auth } from './auth.ts'

const app = await NestFactory.create<NestExpressApplication>(AppModule)

// Before Nest's body parser: a body that is parsed cannot be read again.
const listener = createListener(auth)
// The service, and what an authorization server answers.
const paths = [
  `${auth.basePath}/`,
  '/oauth/',
  '/.well-known/oauth-authorization-server/',
  '/.well-known/openid-configuration/',
]
app.use((request: Request, response: Response, next: NextFunction) => {
  if (paths.some((path) => request.url.startsWith(path))) listener(request, response)
  else next()
})

const port = Number(process.env['PORT'] ?? 3000)
await app.listen(port, 'localhost')
console.log(`listening on http://localhost:${port}`)
