import { brand } from '@latchkey/core/pages/brand'
import type { BrandOptions } from '@latchkey/core/pages/brand'
import { createMarks, marks } from '@latchkey/core/pages/marks'
import type { AuthConfig } from '@latchkey/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { serveMail } from './support/mailbox.ts'
import { getConfigError, passport, serve } from './support/service.ts'

type Theme = NonNullable<AuthConfig['theme']>

const svg = '<svg viewBox="0 0 10 10"><path d="M0 0h10v10z" fill="currentColor" /></svg>'
const png = 'data:image/png;base64,iVBORw0KGgo='

/** Returns the sign-in page and its Content-Security-Policy. */
async function visit(theme?: Theme): Promise<{ readonly html: string; readonly policy: string }> {
  const response = await serve({ ...(theme && { theme }) })
    .browse()
    .visit('/signin')
  const policy = response.headers.get('content-security-policy') ?? ''
  return { html: await response.text(), policy }
}

describe('theme.brand', () => {
  test('is not there by default: the page names the host', async () => {
    const { html, policy } = await visit()
    expect(html).not.toMatch(/<header|<footer|<svg|<img/)
    expect(html).toContain('to continue to <bdi>app.example</bdi>')
    expect(policy).toContain('; img-src data:; ')
  })

  test('a name without a logo is shown as text, and names the service', async () => {
    const { html } = await visit({ brand: brand({ name: 'Tom & <Jerry>' }) })
    expect(html).toContain('<header><p>Tom &amp; &lt;Jerry&gt;</p></header>')
    expect(html).toContain('to continue to <bdi>Tom &amp; &lt;Jerry&gt;</bdi>')
  })

  test('an inline SVG is part of the page, which loads nothing', async () => {
    const { html, policy } = await visit({ brand: brand({ name: 'Example', logo: svg }) })
    expect(html).toContain(`<span role="img" aria-label="Example">${svg}</span>`)
    expect(policy).toContain('; img-src data:; ')
  })

  test('a data URI is an image, which the policy allows', async () => {
    const { html, policy } = await visit({ brand: brand({ name: 'Example', logo: png }) })
    expect(html).toContain(`<img src="${png}" alt="Example" />`)
    expect(policy).toContain('; img-src data:; ')
  })

  test.each<[string, object]>([
    ['theme.brand.name', { name: '' }],
    ['theme.brand.name', { name: ' ' }],
    ['theme.brand.name', { logo: svg }],
    ['theme.brand.Logo', { name: 'x', Logo: svg }],
    ['theme.brand.logo', { name: 'x', logo: 'https://cdn.example/logo.svg' }],
    ['theme.brand.logo', { name: 'x', logo: '/logo.svg' }],
    ['theme.brand.logo', { name: 'x', logo: '' }],
    ['theme.brand.logo', { name: 'x', logo: 'data:text/html;base64,PGI+' }],
    ['theme.brand.logo', { name: 'x', logo: 'data:image/svg+xml,<svg onload="x()">' }],
    ['theme.brand.logo', { name: 'x', logo: `${png}" onerror="x()` }],
  ])('%s: %j is refused at start-up', (option, options) => {
    expect(getConfigError(() => ({ theme: { brand: brand(options as BrandOptions) } }))?.[0]).toBe(
      option,
    )
  })

  test('is refused if brand() did not make it', () => {
    const theme = { brand: { name: 'x', logo: '<script>' } } as unknown as Theme
    expect(getConfigError(() => ({ theme }))).toEqual(['theme.brand', 'must be made by brand()'])
  })
})

describe('an inline SVG', () => {
  const getProblem = (logo: string): string | undefined =>
    getConfigError(() => ({ theme: { brand: brand({ name: 'x', logo }) } }))?.[1]

  test.each([
    svg,
    '<svg></svg>',
    '<svg/>',
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" />',
    '<svg viewBox="0 0 1 1"><title>A "logo" > all</title><g><circle r="1"/></g></svg>',
    '<svg><defs><linearGradient id="a"><stop offset="0" /></linearGradient></defs><rect fill="url(#a)" /></svg>',
    '<svg>\n  <path\n    d="M0 0"\n  />\n</svg>\n',
  ])('%j is accepted', (logo) => {
    expect(getProblem(logo)).toBeUndefined()
  })

  test.each([
    ['<svg><script>alert(1)</script></svg>', /basic shapes, found <script>/],
    ['<svg><SCRIPT href="x"/></svg>', /basic shapes/],
    ['<svg><style>*{}</style></svg>', /basic shapes/],
    ['<svg><foreignObject><p>x</p></foreignObject></svg>', /basic shapes/],
    ['<svg><image href="https://evil.example/x" /></svg>', /basic shapes/],
    ['<svg><use href="#a" /></svg>', /basic shapes/],
    ['<svg><a><path /></a></svg>', /basic shapes/],
    ['<svg><animate attributeName="x" /></svg>', /basic shapes/],
    ['<svg><svg></svg></svg>', /basic shapes/],
    ['<svg><!-- x --></svg>', /basic shapes/],
    ['<?xml version="1.0"?><svg></svg>', /basic shapes/],
    ['<!DOCTYPE svg [<!ENTITY x "y">]><svg></svg>', /basic shapes/],
    ['<svg><![CDATA[<script>]]></svg>', /basic shapes/],
    ['<svg onload="alert(1)"></svg>', /the attribute onload=/],
    ['<svg ONLOAD="alert(1)"></svg>', /the attribute ONLOAD=/],
    ['<svg><path style="fill:url(x)" /></svg>', /the attribute style=/],
    ['<svg><path href="javascript:alert(1)" /></svg>', /the attribute href=/],
    ['<svg><path xlink:href="#a" /></svg>', /the attribute xlink:href=/],
    ['<svg><path fill="url(https://evil.example/#a)" /></svg>', /the attribute fill=/],
    ['<svg><path fill="URL( #a)" /></svg>', /the attribute fill=/],
    ['<svg><path fill="u&#114;l(//evil.example)" /></svg>', /the attribute fill=/],
    ['<svg><path fill="\\75rl(//evil.example)" /></svg>', /the attribute fill=/],
    ["<svg onload='alert(1)'></svg>", /basic shapes/],
    ['<svg onload=alert(1)></svg>', /basic shapes/],
    ['<svg/onload="alert(1)"></svg>', /basic shapes/],
    ['<svg><path d="a"onload="x" /></svg>', /basic shapes/],
    ['<svg><path></svg>', /basic shapes, found <\/svg>/],
    ['<svg></path></svg>', /basic shapes/],
    ['<svg><g><path></g></path></svg>', /has <\/g> without its start/],
    ['<svg>', /must begin with <svg> and end with <\/svg>/],
    ['<svg></svg><svg></svg>', /must end with <\/svg>/],
    ['<svg></svg><script>alert(1)</script>', /must end with <\/svg>/],
    ['<svg></svg>text', /must end with/],
    ['<path />', /basic shapes/],
    ['</svg>', /./],
    ['<p>', /basic shapes/],
    ['x<svg></svg>', /basic shapes/],
  ])('%j is refused', (logo, problem) => {
    expect(getProblem(logo)).toMatch(problem)
  })

  test('more than 65536 characters are refused', () => {
    const toLogo = (length: number): string => `<svg>${' '.repeat(length - 11)}</svg>`
    expect(getProblem(toLogo(65_536))).toBeUndefined()
    expect(getProblem(toLogo(65_537))).toMatch(/at most 65536 characters/)
  })

  test('whatever is accepted has no element and no attribute that could act', () => {
    const tags = ['<svg', '<g', '<path', '<script', '<a', '</svg>', '</g>', '>', '/>', '<!--']
    const rest = [' onload="x"', ' href="x"', ' d="M0"', ' fill="url(#a)"', ' fill="url(x)"']
    const parts = fc.constantFrom(...tags, ...rest, ' ', '"', "'", 'text', '=', '\n')
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (chosen) => {
        const logo = `<svg${chosen.join('')}</svg>`
        if (getProblem(logo) !== undefined) return
        for (const [tag] of logo.matchAll(/<[^>]*>/g)) {
          expect(tag.replaceAll(/="[^"]*"/g, '=')).not.toMatch(/<(script|a|!)|\s(on|href)\w*=/i)
          expect(tag).not.toMatch(/url\((?!#)/)
        }
      }),
      { numRuns: 3000 },
    )
  })
})

describe('theme.marks', () => {
  test('are shown by the provider’s id, else by its type, hidden from screen readers', async () => {
    const providers = [passport({ id: 'github', name: 'GitHub' }), passport({ id: 'other' })]
    const { browse } = serveMail({ theme: { marks }, providers })
    const html = await (await browse().visit('/signin')).text()
    for (const provider of [...providers, { id: 'email', type: 'email' }]) {
      expect(html).toContain(`<span aria-hidden="true">${marks(provider)}</span>`)
    }
    expect(html.match(/<svg/g)).toHaveLength(3)
  })

  test('of the application replace some of them', async () => {
    const providers = [passport({ id: 'github' }), passport({ id: 'gitlab' }), passport()]
    const theme = { marks: createMarks({ gitlab: svg, oauth: '<svg></svg>' }, marks) }
    const html = await (await serve({ theme, providers }).browse().visit('/signin')).text()
    expect(html.match(/<span aria-hidden="true">.*?<\/span>/g)).toEqual([
      '<span aria-hidden="true"><svg></svg></span>',
      `<span aria-hidden="true">${svg}</span>`,
      '<span aria-hidden="true"><svg></svg></span>',
    ])
    const alone = createMarks({ gitlab: svg })
    expect([alone({ id: 'github', type: 'oauth' }), alone({ id: 'toString', type: 'x' })]).toEqual([
      undefined,
      undefined,
    ])
  })

  test('of the application are checked', () => {
    const theme = (): Theme => ({ marks: createMarks({ github: '<svg><script /></svg>' }) })
    expect(getConfigError(() => ({ theme: theme() }))?.[0]).toBe('theme.marks.github')
    const unchecked = { marks: { github: svg } } as unknown as Theme
    expect(getConfigError(() => ({ theme: unchecked }))?.[0]).toBe('theme.marks')
  })

  test('are all safe', () => {
    for (const id of [
      'email',
      'credentials',
      'oauth',
      'oidc',
      'github',
      'apple',
      'slack',
      'okta',
    ]) {
      const drawing = String(marks({ id, type: 'none' }))
      expect(() => createMarks({ [id]: drawing }), id).not.toThrow()
      expect(drawing).toMatch(/^<svg /)
    }
    expect(marks({ id: 'unknown', type: 'unknown' })).toBeUndefined()
  })

  test('without them no button has one', async () => {
    expect((await visit()).html).not.toContain('<svg')
  })
})

describe('theme.legal', () => {
  test('links to the terms and the privacy policy, in the language of the page', async () => {
    const legal = { terms: '/terms?a=1&b=2', privacy: 'https://example.com/privacy' }
    for (const path of ['/signin', '/signout', '/error', '/verify-request', '/nowhere']) {
      const headers = { accept: 'text/html' }
      const response = await serve({ theme: { legal } }).browse().visit(path, { headers })
      const html = await response.text()
      expect(html).toContain('<a href="/terms?a=1&amp;b=2">Terms</a>')
      expect(html).toContain('<a href="https://example.com/privacy">Privacy</a>')
    }
  })

  test('a link to the privacy policy only is shown without terms', async () => {
    const { html } = await visit({ legal: { privacy: '/privacy' } })
    expect(html).not.toContain('>Terms<')
  })

  test.each([
    ['terms', 'javascript:alert(1)'],
    ['terms', '//evil.example/terms'],
    ['terms', '/\\evil.example'],
    ['privacy', 'privacy.html'],
    ['privacy', 'https://'],
    ['privacy', ''],
  ])('%s: %j is refused at start-up', (name, url) => {
    expect(getConfigError(() => ({ theme: { legal: { [name]: url } } }))).toEqual([
      `theme.legal.${name}`,
      'must be an http(s) URL or a path',
    ])
  })

  test('an unknown link is refused', () => {
    const legal = { term: '/terms' } as Theme['legal']
    expect(getConfigError(() => ({ theme: { legal } as Theme }))?.[1]).toMatch(/did you mean terms/)
  })
})
