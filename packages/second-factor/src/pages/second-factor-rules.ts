// prettier-ignore
/** second-factor.css, minified. Written by `pnpm --filter @latchkey/core style`. */
export const secondFactorRules = 'label:has([type=checkbox]){display:flex;align-items:center;min-height:2.75rem;margin-top:.5rem}label:has([type=checkbox])+button{margin-top:.5rem}input[type=checkbox]{flex:none;width:1.25rem;min-height:1.25rem;margin:0;margin-inline-end:.75rem}input[autocomplete=off]{font-size:1rem;letter-spacing:normal}div[role=img]{margin-top:1rem}div[role=img] svg{display:block;max-width:15rem;margin:auto}code{direction:ltr;unicode-bidi:isolate}'
