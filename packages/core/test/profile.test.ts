import { expect, test } from 'vitest'
import { copyProfile } from '../src/sign-in/profile.ts'

test('a profile is copied without invisible characters and without a prototype (I-40)', () => {
  const profile = JSON.parse(
    '{"name":"A\\u202eda","image":"http://example.com/a.png","role":"x","__proto__":{"isAdmin":true}}',
  )
  const copied = copyProfile({ profile })
  expect(copied).toEqual({
    name: 'Ada',
    image: 'http://example.com/a.png',
    role: 'x',
    email: null,
    emailVerified: false,
  })
  expect(Object.hasOwn(copied, '__proto__')).toBe(false)
  expect(copied['isAdmin']).toBeUndefined()
})

test('the image of a profile has the scheme http or https', () => {
  const getImage = (image: string): string | null => copyProfile({ profile: { image } }).image
  for (const scheme of ['http', 'https']) {
    expect(getImage(`${scheme}://example.com/a`)).toBe(`${scheme}://example.com/a`)
  }
  for (const image of ['data:image/png;base64,AA', 'javascript:alert(1)', 'ftp://example.com/a']) {
    expect(getImage(image), image).toBeNull()
  }
})
