import { brand } from '@latchkey/core/pages/brand'

/** How the pages and emails of the service look. */
export const theme = { brand: brand({ name: 'my-app', color: '#0f5ec7' }) }
