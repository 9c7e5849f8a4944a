// prettier-ignore
/** checkbox.css, minified. Written by `pnpm --filter @latchkey/core style`. */
export const checkboxRules = 'label:has([type=checkbox]){display:flex;align-items:center;min-height:2.75rem;margin-top:.5rem}label:has([type=checkbox])+button{margin-top:1rem}input[type=checkbox]{flex:none;width:1.25rem;min-height:1.25rem;margin:0;margin-inline-end:.75rem}'
