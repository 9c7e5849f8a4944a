// prettier-ignore
/** passkey.css, minified. Written by `pnpm --filter @latchkey/core style`. */
export const passkeyRules = '.folded>[data-passkey]{grid-column:1/-1}[role=alert]:not([hidden])+button{margin-top:1rem}.or:not(:has(~form:not([hidden]),~.ways>:not([hidden]))){display:none}'
