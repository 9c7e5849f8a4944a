import assert from 'node:assert/strict'
import { createExhibit, toVerdict } from '../exhibit.ts'
import type { Exhibit } from '../exhibit.ts'
import { betterAuth } from '../versions.ts'

const markup = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
]

/** Attacks by markup in a parameter. */
export const markupInjection: readonly Exhibit[] = [
  createExhibit({
    ids: ['GHSA-9x4v-xfq5-m8x5'],
    affected: betterAuth('1.1.15'),
    needs: ['errorPage'],
    async attack(subject) {
      const page = await subject.errorPage.open(subject.browse(), 'access_denied')
      assert.match(await page.text(), /<\/html>|<body|<html/i, 'the error must have a page')
      for (const text of markup) {
        const response = await subject.errorPage.open(subject.browse(), text)
        const isRepeated = (await response.text()).includes(text)
        if (isRepeated)
          return toVerdict(true, `status ${response.status}, the page contains ${text}`)
      }
      return toVerdict(false, 'no markup of the parameter is on the page')
    },
  }),
]
