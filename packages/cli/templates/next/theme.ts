import { createTheme } from '@latchkey/core/pages/theme'

/** How the pages and emails of the service look. */
export const theme = createTheme({ brand: { name: 'my-app', color: '#0f5ec7' } })
