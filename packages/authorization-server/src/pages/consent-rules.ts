// prettier-ignore
/** consent.css, minified. Written by `pnpm --filter @latchkey/core style`. */
export const consentRules = '[name=decision]+button{margin-top:.75rem}'
