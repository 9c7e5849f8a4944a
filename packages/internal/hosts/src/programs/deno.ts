import { answer } from './answer.ts'

/** The part of Deno that this program uses. */
declare const Deno: {
  serve(
    options: {
      readonly hostname: string
      readonly port: number
      readonly onListen: (address: { readonly port: number }) => void
    },
    handler: (request: Request) => Promise<Response>,
  ): unknown
}

Deno.serve(
  {
    hostname: 'localhost',
    port: 0,
    onListen: ({ port }) => console.log(`listening on http://localhost:${port}`),
  },
  (request) => answer(request),
)
