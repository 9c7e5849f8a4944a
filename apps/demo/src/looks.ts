import type { AuthConfig } from '@latchkey/core'
import { ar } from '@latchkey/core/languages/ar'
import { de } from '@latchkey/core/languages/de'
import { es } from '@latchkey/core/languages/es'
import { fr } from '@latchkey/core/languages/fr'
import { it } from '@latchkey/core/languages/it'
import { ja } from '@latchkey/core/languages/ja'
import { nl } from '@latchkey/core/languages/nl'
import { pl } from '@latchkey/core/languages/pl'
import { ptBR } from '@latchkey/core/languages/pt-BR'
import { zhHans } from '@latchkey/core/languages/zh-Hans'
import { brand } from '@latchkey/core/pages/brand'
import { marks } from '@latchkey/core/pages/marks'

/** Every language besides English, by tag. */
export const languages: NonNullable<AuthConfig['messages']> = {
  ar,
  de,
  es,
  fr,
  it,
  ja,
  nl,
  pl,
  'pt-BR': ptBR,
  'zh-Hans': zhHans,
}

/** The tags of all languages, each with its name in that language. */
export const languageNames: Readonly<Record<string, string>> = {
  en: 'English',
  ar: 'العربية',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  ja: '日本語',
  nl: 'Nederlands',
  pl: 'Polski',
  'pt-BR': 'Português',
  'zh-Hans': '简体中文',
}

/** A theme of the built-in pages. */
interface Look {
  readonly title: string
  readonly theme: NonNullable<AuthConfig['theme']>
}

const sun =
  '<svg viewBox="0 0 40 40"><circle cx="20" cy="20" r="16" fill="#f08a24" />' +
  '<rect x="4" y="22" width="32" height="3" fill="#ffffff" /></svg>'

/** Three looks of the same pages, by the last segment of their URL. */
export const looks: Readonly<Record<string, Look>> = {
  plain: { title: 'Without a theme', theme: {} },
  evening: {
    title: 'Evening: colours, corners, a logo, marks',
    theme: {
      radius: 16,
      brand: brand({ name: 'Evening', logo: sun }),
      marks,
      light: { accent: '#9a3412', background: '#fff7ed' },
      dark: { accent: '#fdba74', accentText: '#1c0f05', background: '#1c1410', surface: '#2a1d16' },
    },
  },
  press: {
    title: 'Press: serifs, no corners, a name, legal links',
    theme: {
      radius: 0,
      colorScheme: 'light',
      fontFamily: 'Georgia, serif',
      brand: brand({ name: 'The Daily Press' }),
      light: {
        accent: '#111111',
        accentText: '#ffffff',
        background: '#f3efe6',
        surface: '#fffdf7',
      },
      legal: { terms: '/', privacy: '/' },
    },
  },
}
