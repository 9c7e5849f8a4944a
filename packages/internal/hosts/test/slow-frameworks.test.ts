import { describeFrameworks } from './support/describe-frameworks.ts'

describeFrameworks(['Nuxt', 'SvelteKit 2'])
