import { Controller, Get, Module, Req, Res, UseGuards } from '@nestjs/common'
import type { Request, Response } from 'express'
import { SessionGuard, readSession } from './session.guard.ts'
import type { Session } from './session.guard.ts'

@Controller()
class HomeController {
  @Get()
  async home(@Req() request: Request, @Res({ passthrough: true }) response: Response) {
    const session = await readSession(request, response)
    return session ? `Hello, ${session.user.name}` : 'Hello, stranger'
  }

  @Get('account')
  @UseGuards(SessionGuard)
  account(@Req() { session }: { readonly session: NonNullable<Session> }) {
    return session.user
  }
}

/** The application. */
@Module({ controllers: [HomeController] })
// oxlint-disable-next-line typescript/no-extraneous-class -- Nest keeps the metadata of a module in its class
export class AppModule {}
