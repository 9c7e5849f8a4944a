// prettier-ignore
/** brand.css, minified. Written by `pnpm --filter @latchkey/core style`. */
export const brandRules = 'header p{margin:0;font-size:1.25rem;font-weight:600}header img,header svg{display:block;height:2.5rem;width:auto;max-width:100%}'
