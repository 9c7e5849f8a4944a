import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { getErrorRow } from '../src/lib/errors.ts'
import type { ErrorCode } from '../src/ports/error-code.ts'
import { allRoutes as routes } from './support/all-routes.ts'
import { description } from './support/description.ts'
import { asDocumented, findUndocumented, operations } from './support/openapi.ts'
import { base, serve } from './support/service.ts'

test('openapi.json is a valid description of OpenAPI 3.1', async () => {
  const result = await new Validator().validate({ ...description })
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
})

test('it has every row of the table of routes, with its media types, and no other', () => {
  const documented = [...operations].map(
    ([route, { requestBody }]) => `${route} ${Object.keys(requestBody?.content ?? {}).join(', ')}`,
  )
  const rows = routes.map(({ method, path, accepts }) => `${method} ${path} ${accepts.join(', ')}`)
  expect(rows.length).toBeGreaterThan(10)
  expect(documented.toSorted()).toEqual(rows.toSorted())
})

test('the routes that speak JSON are documented with JSON only, the other routes with pages', () => {
  for (const { method, path, speaks } of routes) {
    if (method === 'HEAD') continue
    const text = JSON.stringify(operations.get(`${method} ${path}`))
    const isJson = /Json(Error)?"/.test(text.replaceAll('JsonRedirect', ''))
    expect([method, path, isJson]).toEqual([method, path, speaks === 'json'])
  }
})

test('it lists the error codes of the service', () => {
  const { ErrorCode } = description.components['schemas'] ?? {}
  const { enum: codes } = ErrorCode as { readonly enum: readonly ErrorCode[] }
  const source = readFileSync(new URL('../src/lib/errors.ts', import.meta.url), 'utf8')
  const rows = [...source.matchAll(/^ {2}(\w+): +\{ status/gm)].map(([, code]) => code)
  expect(codes).toEqual(rows)
  expect(codes.map((code) => getErrorRow(code).status).every((status) => status >= 400)).toBe(true)
})

test('an answer that is not documented is found', async () => {
  const request = new Request(`${base}/csrf`)
  const { auth } = serve()
  const answer = await auth.handle(request)
  expect(await findUndocumented(base, request, answer)).toEqual([])
  const { headers } = answer
  const find = (body: string, init: ResponseInit): Promise<string[]> =>
    findUndocumented(base, request, new Response(body, init))
  expect(await find('{"csrfToken":"x"}', { headers })).toEqual([
    expect.stringContaining('must match pattern'),
  ])
  expect(await find('{}', { headers, status: 418 })).toEqual([
    'GET /csrf: 418: the status is not documented',
  ])
  expect(await find('', { headers: { 'content-type': 'text/plain' } })).toEqual([
    'GET /csrf: 200: the header Cache-Control is missing',
    'GET /csrf: 200: the header X-Content-Type-Options is missing',
    'GET /csrf: 200: the media type "text/plain" is not documented',
  ])
  const wrong = asDocumented(base, async () => new Response('', { status: 418 }))
  await expect(wrong(request)).rejects.toThrow('not as in openapi.json: GET /csrf: 418')
})
