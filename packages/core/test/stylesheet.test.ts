import { createTheme } from '@latchkey/core/pages/theme'
import { describe, expect, test } from 'vitest'
import { getConfigError, origin, serve } from './support/service.ts'

const link = '<link rel="stylesheet" href="/brand.css" referrerpolicy="no-referrer" />'
const source = new RegExp(`; style-src 'sha256-[^']+' ${origin}/brand\\.css; img-src data:; `)
const headers = { accept: 'text/html' }

describe('theme.stylesheet (I-10.3)', () => {
  test.each(['/signin', '/signout', '/verify-request', '/error'])(
    'is loaded by %s after the style sheet of the page, and the policy names its URL',
    async (path) => {
      const { browse } = serve({ theme: createTheme({ stylesheet: '/brand.css' }) })
      const page = await browse().visit(path, { headers })
      expect(await page.text()).toContain(`</style>\n      ${link}`)
      expect(page.headers.get('content-security-policy')).toMatch(source)
    },
  )

  test('is not loaded by a page for which the origin is unknown', async () => {
    const { browse } = serve({ theme: createTheme({ stylesheet: '/brand.css' }) })
    const page = await browse().visit('/nowhere', { headers })
    expect(page.status).toBe(404)
    expect(await page.text()).not.toContain('rel="stylesheet"')
    expect(page.headers.get('content-security-policy')).not.toContain('brand.css')
  })

  test('without it pages load nothing', async () => {
    const page = await serve().browse().visit('/signin')
    expect(await page.text()).not.toContain('rel="stylesheet"')
    expect(page.headers.get('content-security-policy')).toMatch(/; style-src '[^']+'; img-src/)
  })

  test.each([
    'https://cdn.example/brand.css',
    '//cdn.example/brand.css',
    '/\\cdn.example/brand.css',
    'brand.css',
    '/brand.css?v=1',
    '/brand.css; script-src *',
    '/brand.css#x',
    '/',
    '',
  ])('%j is refused at start-up', (stylesheet) => {
    expect(
      getConfigError(() => ({ theme: createTheme({ stylesheet: '/a/brand-1.css' }) })),
    ).toBeUndefined()
    expect(getConfigError(() => ({ theme: createTheme({ stylesheet }) }))?.[0]).toBe(
      'theme.stylesheet',
    )
  })
})
