import { answer } from './answer.ts'

/** The part of Bun that this program uses. */
declare const Bun: {
  serve(options: {
    readonly hostname: string
    readonly port: number
    readonly fetch: (request: Request) => Promise<Response>
  }): { readonly port: number }
}

const { port } = Bun.serve({ hostname: 'localhost', port: 0, fetch: (request) => answer(request) })

console.log(`listening on http://localhost:${port}`)
