import type { NextFetchEvent, NextRequest } from 'next/server.js'

/** What a proxy returns: a response, such as `NextResponse.next()`, or nothing, and the request passes. */
export type ProxyResult = Response | null | undefined | void

/** The function that `proxy.ts` or `middleware.ts` exports. */
export type AuthProxy = (request: NextRequest, event: NextFetchEvent) => Promise<ProxyResult>
