import { githubMark } from '@latchkey/core/marks/github'
import { createMarks } from '@latchkey/core/pages/marks'
import { createTheme } from '@latchkey/core/pages/theme'
import type { ThemeOptions } from '@latchkey/core/pages/theme'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { serveMail } from './support/mailbox.ts'
import { getConfigError, passport, serve } from './support/service.ts'

const svg = '<svg viewBox="0 0 10 10"><path d="M0 0h10v10z" fill="currentColor" /></svg>'
const png = 'data:image/png;base64,iVBORw0KGgo='

/** Returns the sign-in page and its Content-Security-Policy. */
async function visit(
  theme?: ThemeOptions,
): Promise<{ readonly html: string; readonly policy: string }> {
  const response = await serve({ ...(theme && { theme: createTheme(theme) }) })
    .browse()
    .visit('/signin')
  const policy = response.headers.get('content-security-policy') ?? ''
  return { html: await response.text(), policy }
}

describe('theme.brand', () => {
  test('is not there by default: the page names the host', async () => {
    const { html, policy } = await visit()
    expect(html).not.toMatch(/<header|<footer|<img/)
    expect(html).toContain('to continue to <bdi>app.example</bdi>')
    expect(policy).toContain('; img-src data:; ')
  })

  test('a name without a logo is shown as text, and names the service', async () => {
    const { html } = await visit({ brand: { name: 'Tom & <Jerry>' } })
    expect(html).toContain('<header><p>Tom &amp; &lt;Jerry&gt;</p></header>')
    expect(html).toContain('to continue to <bdi>Tom &amp; &lt;Jerry&gt;</bdi>')
  })

  test('an inline SVG is part of the page, which loads nothing', async () => {
    const { html, policy } = await visit({ brand: { name: 'Example', logo: svg } })
    expect(html).toContain(`<span role="img" aria-label="Example">${svg}</span>`)
    expect(policy).toContain('; img-src data:; ')
  })

  test('a data URI is an image, which the policy allows', async () => {
    const { html, policy } = await visit({ brand: { name: 'Example', logo: png } })
    expect(html).toContain(`<img src="${png}" alt="Example" />`)
    expect(policy).toContain('; img-src data:; ')
  })

  test.each<[string, object]>([
    ['theme.brand.color', { name: 'x', color: 'red' }],
    ['theme.brand.color', { name: 'x', color: '#12345' }],
    ['theme.brand.color', { name: 'x', color: '#123}' }],
    ['theme.brand.color', { name: 'x', color: '' }],
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
    expect(getConfigError(() => ({ theme: createTheme({ brand: options as never }) }))?.[0]).toBe(
      option,
    )
  })
})

describe('the colour of a brand', () => {
  /** Returns the custom properties of a page in light and in dark. */
  async function readColors(
    theme: ThemeOptions,
  ): Promise<readonly Readonly<Record<string, string>>[]> {
    const { html } = await visit(theme)
    const roots = [...html.matchAll(/:root\{([^}]*--accent:[^}]*)\}/g)]
    return roots.map(([, rules = '']) =>
      Object.fromEntries(
        rules.split(';').map((rule) => {
          const [name = '', value = ''] = rule.split(':')
          return [name.replace(/^--/, ''), value]
        }),
      ),
    )
  }

  /** Returns the contrast ratio of two colours (WCAG 2.2 §1.4.3). */
  function getRatio(one = '', other = ''): number {
    const [a, b] = [one, other].map((color) => {
      const [r = 0, g = 0, blue = 0] = [1, 3, 5].map((at) => {
        const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * r + 0.7152 * g + 0.0722 * blue + 0.05
    })
    return Math.max((a ?? 0) / (b ?? 1), (b ?? 0) / (a ?? 1))
  }

  test('is the main button as it is, and links where it contrasts', async () => {
    const [light, dark] = await readColors({ brand: { name: 'x', color: '#0B6E4F' } })
    expect(light).toMatchObject({ accent: '#0b6e4f', accentText: '#ffffff', button: '#0b6e4f' })
    expect(dark).toMatchObject({ button: '#0b6e4f', accentText: '#ffffff' })
    expect(dark?.['accent']).not.toBe('#0b6e4f')
  })

  test('of three digits is the same colour', async () => {
    const toTheme = (color: string): ThemeOptions => ({ brand: { name: 'x', color } })
    expect(await readColors(toTheme('#c03'))).toEqual(await readColors(toTheme('#cc0033')))
  })

  test('always contrasts: texts of buttons and links have 4.5:1 in light and dark', async () => {
    const channel = fc.integer({ min: 0, max: 255 })
    await fc.assert(
      fc.asyncProperty(channel, channel, channel, async (...channels) => {
        const color = `#${channels.map((each) => each.toString(16).padStart(2, '0')).join('')}`
        for (const colors of await readColors({ brand: { name: 'x', color } })) {
          const { accent, accentText, button, surface, background } = colors
          expect(getRatio(button, accentText)).toBeGreaterThanOrEqual(4.5)
          expect(getRatio(accent, surface)).toBeGreaterThanOrEqual(4.5)
          expect(getRatio(accent, background)).toBeGreaterThanOrEqual(4.5)
          expect(getRatio(button, surface)).toBeGreaterThanOrEqual(1.3)
        }
      }),
      {
        numRuns: 100,
        examples: [
          [255, 255, 255],
          [0, 0, 0],
          [255, 255, 0],
          [119, 119, 119],
        ],
      },
    )
  })

  test('gives way to the colours of the theme, and contrasts with its surfaces', async () => {
    const theme = {
      brand: { name: 'x', color: '#ffd400' },
      light: { accentText: '#222222' },
      dark: { button: '#ffe680', surface: '#444444' },
    }
    const [light, dark] = await readColors(theme)
    expect(light).toMatchObject({ button: '#ffd400', accentText: '#222222' })
    expect(dark).toMatchObject({ button: '#ffe680' })
    expect(getRatio(dark?.['accent'], '#444444')).toBeGreaterThanOrEqual(4.5)
  })

  test('is refused beside a surface that cannot be compared', () => {
    const toTheme = (surface: string) => (): object => ({
      theme: createTheme({ brand: { name: 'x', color: '#0b6e4f' }, dark: { surface } }),
    })
    expect(getConfigError(toTheme('#222222'))).toBeUndefined()
    expect(getConfigError(toTheme('rgb(1 2 3)'))?.[0]).toBe('theme.dark.surface')
  })
})

describe('an inline SVG', () => {
  const getProblem = (logo: string): string | undefined =>
    getConfigError(() => ({ theme: createTheme({ brand: { name: 'x', logo } }) }))?.[1]

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
  const providers = [
    passport({ id: 'forge', name: 'Forge', mark: githubMark }),
    passport({ id: 'company', name: 'écoles & co' }),
  ]
  const readMarks = (html: string): string[] =>
    [...html.matchAll(/<span aria-hidden="true">(.*?)<\/span>/gs)].map(([, mark = '']) => mark)

  test('are by default those of the providers, or the first letter of their names', async () => {
    const html = await (await serveMail({ providers }).browse().visit('/signin')).text()
    const [own, initial = '', ...others] = readMarks(html)
    expect(own).toBe(githubMark)
    expect(initial).toMatch(/^<svg [^]*<text [^>]*>\s*É\s*<\/text>/)
    // Email has no mark.
    expect(others).toEqual([])
  })

  test('a letter of a name is escaped', async () => {
    const html = await (
      await serve({ providers: [passport({ name: '<b>' })] })
        .browse()
        .visit('/signin')
    ).text()
    expect(readMarks(html)[0]).toMatch(/>\s*&lt;\s*<\/text>/)
  })

  test('of the application replace some of them, by id and by type', async () => {
    const theme = createTheme({ marks: createMarks({ company: svg, email: '<svg></svg>' }) })
    const html = await (await serveMail({ theme, providers }).browse().visit('/signin')).text()
    expect(readMarks(html).toSorted()).toEqual(['<svg></svg>', githubMark, svg].toSorted())
  })

  test('can be left out', async () => {
    const html = await (
      await serve({ theme: createTheme({ marks: () => undefined }), providers })
        .browse()
        .visit('/signin')
    ).text()
    expect(readMarks(html)).toEqual([])
  })

  test('of the application are checked', () => {
    const create = (): ThemeOptions => ({ marks: createMarks({ github: '<svg><script /></svg>' }) })
    expect(getConfigError(() => ({ theme: createTheme(create()) }))?.[0]).toBe('theme.marks.github')
    const unchecked: object = { marks: { github: svg } }
    expect(getConfigError(() => ({ theme: createTheme(unchecked) }))?.[0]).toBe('theme.marks')
  })

  test.each([
    '<svg><script></script></svg>',
    '<svg onload="x()"></svg>',
    '<svg><path style="fill:red"/></svg>',
    '<svg><path fill="url(https://evil.example/)"/></svg>',
    '<svg><path href="x"/></svg>',
    '<p></p>',
    'text',
    '',
  ])('of a provider are checked: %j is refused', (mark) => {
    const create = (given: string) => (): object => ({
      providers: [passport({ id: 'forge', mark: given })],
    })
    expect(
      getConfigError(create('<svg viewBox="0 0 1 1"><path d="M0 0h1"/></svg>')),
    ).toBeUndefined()
    expect(getConfigError(create(mark))?.[0]).toBe('providers.forge.mark')
  })
})

describe('theme.legal', () => {
  test('links to the terms and the privacy policy, in the language of the page', async () => {
    const legal = { terms: '/terms?a=1&b=2', privacy: 'https://example.com/privacy' }
    for (const path of ['/signin', '/signout', '/error', '/verify-request', '/nowhere']) {
      const headers = { accept: 'text/html' }
      const response = await serve({ theme: createTheme({ legal }) })
        .browse()
        .visit(path, { headers })
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
    expect(getConfigError(() => ({ theme: createTheme({ legal: { [name]: url } }) }))).toEqual([
      `theme.legal.${name}`,
      'must be an http(s) URL or a path',
    ])
  })

  test('an unknown link is refused', () => {
    const legal: object = { term: '/terms' }
    expect(getConfigError(() => ({ theme: createTheme({ legal }) }))?.[1]).toMatch(
      /did you mean terms/,
    )
  })
})
