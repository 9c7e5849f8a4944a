import type { MiddlewareHandler } from 'astro'
import { auth } from './auth.ts'

/** Answers what programs ask of an authorization server. */
export const onRequest: MiddlewareHandler = ({ request, isPrerendered }, next) =>
  (isPrerendered ? undefined : auth.programs?.(request)) ?? next()
