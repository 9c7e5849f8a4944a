import { slug } from 'github-slugger'
import { defineConfig } from 'vitepress'
import { linkErrorCodes } from '../src/link-error-codes.ts'

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
  markdown: {
    // The pages include READMEs, whose links use GitHub's anchors.
    anchor: { slugify: slug },
    config: linkErrorCodes,
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Start', link: '/start/node' },
      { text: 'Guide', link: '/concepts' },
      { text: 'Coming from', link: '/migration/next-auth-v4' },
      { text: 'Reference', link: '/reference/rest' },
      { text: 'Comparison', link: '/comparison' },
    ],
    sidebar: [
      {
        text: 'Start in five minutes',
        items: [
          { text: 'Node', link: '/start/node' },
          { text: 'Cloudflare Workers', link: '/start/workers' },
          { text: 'Hono', link: '/start/hono' },
          { text: 'Next.js', link: '/start/next' },
          { text: 'Examples', link: '/examples' },
        ],
      },
      {
        text: 'Guide',
        items: [
          { text: 'How it works', link: '/concepts' },
          { text: 'Options', link: '/guide/options' },
          { text: 'Environment variables', link: '/guide/environment' },
          { text: 'Callbacks and events', link: '/guide/callbacks' },
          { text: 'Sessions', link: '/guide/sessions' },
          { text: 'Pages and themes', link: '/guide/pages' },
          { text: 'Languages', link: '/guide/languages' },
          { text: 'The client and React', link: '/guide/client' },
          { text: 'Frameworks and runtimes', link: '/guide/frameworks' },
          { text: 'The command line', link: '/guide/command-line' },
          { text: 'Tests of your application', link: '/guide/tests' },
        ],
      },
      {
        text: 'Ways of signing in',
        items: [
          { text: 'Identity providers', link: '/guide/providers' },
          { text: 'Email', link: '/guide/email' },
          { text: 'Credentials', link: '/guide/credentials' },
          { text: 'Password hashing', link: '/guide/password-hashing' },
        ],
      },
      {
        text: 'Storage',
        items: [
          { text: 'Overview', link: '/guide/storage' },
          { text: 'SQL databases', link: '/guide/storage-sql' },
          { text: 'Redis and Valkey', link: '/guide/storage-redis' },
          { text: 'Adapters of Auth.js', link: '/guide/storage-authjs' },
        ],
      },
      {
        text: 'Beyond one browser',
        items: [
          { text: 'Several origins', link: '/guide/origins' },
          { text: 'Tokens for APIs', link: '/guide/tokens' },
          { text: 'Logout everywhere', link: '/guide/logout' },
        ],
      },
      {
        text: 'Production',
        items: [
          { text: 'Deployment', link: '/guide/deployment' },
          { text: 'Operations and scale', link: '/guide/operations' },
          { text: 'Security', link: '/guide/security' },
        ],
      },
      {
        text: 'Coming from',
        items: [
          { text: 'next-auth v4', link: '/migration/next-auth-v4' },
          { text: 'Auth.js v5', link: '/migration/auth-js-v5' },
          { text: 'better-auth', link: '/migration/better-auth' },
          { text: 'Comparison', link: '/comparison' },
        ],
      },
      {
        text: 'Extending',
        items: [
          { text: 'Writing a provider', link: '/extend/provider' },
          { text: 'Writing a storage', link: '/extend/storage' },
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'REST interface', link: '/reference/rest' },
          { text: 'Number by number', link: '/reference/interface' },
          { text: 'Error codes', link: '/reference/errors' },
          { text: 'API', link: '/reference/api/' },
          { text: 'Changelog', link: '/reference/changelog' },
        ],
      },
    ],
  },
})
