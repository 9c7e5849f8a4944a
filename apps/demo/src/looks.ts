import { createMarks } from '@latchkey/core/pages/marks'
import type { ThemeOptions } from '@latchkey/core/pages/theme'

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
export interface Look {
  readonly title: string
  readonly theme: ThemeOptions
}

const sun =
  '<svg viewBox="0 0 40 40"><circle cx="20" cy="20" r="16" fill="#f08a24" />' +
  '<rect x="4" y="22" width="32" height="3" fill="#ffffff" /></svg>'

const dot = '<svg viewBox="0 0 24 24"><circle cx="12" cy="12" r="8" fill="currentColor" /></svg>'

/** The CSS file of the look `stylesheet`. */
export const lookStyles = `body { background: linear-gradient(160deg, var(--background), #c7d2fe); }
main { border-top: 0.375rem solid var(--button); }
h1 { font-family: Georgia, serif; }
`

/** Looks of the same pages, by the last segment of their URL: one for each option, and two that have several. */
export const looks: Readonly<Record<string, Look>> = {
  plain: { title: 'Without a theme', theme: {} },
  name: { title: 'A name', theme: { brand: { name: 'Meridian' } } },
  logo: { title: 'A logo', theme: { brand: { name: 'Meridian', logo: sun } } },
  color: {
    title: 'The colour of a brand',
    theme: { brand: { name: 'Meridian', color: '#ffd400' } },
  },
  palette: {
    title: 'Colours one by one',
    theme: {
      light: { background: '#ecfdf5', accent: '#065f46', border: '#4b8a72' },
      dark: { background: '#022c22', surface: '#0b3b2e', accent: '#6ee7b7', accentText: '#022c22' },
    },
  },
  scheme: { title: 'Always dark', theme: { colorScheme: 'dark' } },
  radius: { title: 'Round corners', theme: { radius: 24 } },
  font: { title: 'Another font', theme: { fontFamily: 'Georgia, "Times New Roman", serif' } },
  marks: { title: 'A mark of the application', theme: { marks: createMarks({ github: dot }) } },
  legal: { title: 'Legal links', theme: { legal: { terms: '/', privacy: '/' } } },
  stylesheet: { title: 'A CSS file', theme: { stylesheet: '/looks.css' } },
  evening: {
    title: 'Evening: colours, corners, a logo',
    theme: {
      radius: 16,
      brand: { name: 'Evening', logo: sun },
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
      brand: { name: 'The Daily Press' },
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
