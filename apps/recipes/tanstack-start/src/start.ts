import { createMiddleware, createStart } from '@tanstack/react-start'
import { auth } from './auth.ts'

/** Answers what programs ask of an authorization server. */
const programs = createMiddleware().server(
  ({ request, next }) => auth.programs?.(request) ?? next(),
)

export const startInstance = createStart(() => ({ requestMiddleware: [programs] }))
