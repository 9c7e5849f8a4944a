import { resolve } from 'node:path'
import { slug } from 'github-slugger'
import { defineConfig } from 'vitepress'
import { linkErrorCodes } from '../src/link-error-codes.ts'
import { writeForAssistants } from '../src/assistants.ts'
import { readFacts } from '../src/describe-front.ts'
import { renderForSearch, searchOptions } from '../src/search.ts'
import { sidebar } from '../src/sidebar.ts'

const { repository, version } = readFacts(resolve(import.meta.dirname, '../../..'))

export default defineConfig({
  srcDir: '.generated',
  outDir: 'dist',
  cacheDir: '.cache',
  title: 'Latchkey',
  description: 'A sign-in service for the Web platform: one function from Request to Response.',
  lang: 'en',
  cleanUrls: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  appearance: true,
  ignoreDeadLinks: 'localhostLinks',
  buildEnd: ({ srcDir, outDir }) => writeForAssistants(srcDir, outDir),
  markdown: {
    // The pages include READMEs, whose links use GitHub's anchors.
    anchor: { slugify: slug },
    config: linkErrorCodes,
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: { _render: renderForSearch, miniSearch: { searchOptions } },
    },
    outline: { level: [2, 3] },
    socialLinks: [{ icon: 'github', link: repository }],
    nav: [
      { text: 'Start', link: '/start/' },
      { text: 'Guide', link: '/concepts' },
      { text: 'Coming from', link: '/migration/next-auth-v4' },
      { text: 'Reference', link: '/reference/rest' },
      { text: 'Comparison', link: '/comparison' },
      { text: version, link: '/reference/changelog' },
    ],
    sidebar: sidebar.map((part) => ({ ...part, items: [...part.items] })),
  },
})
