/** Imports a module of this version: only a file beside `node_modules` resolves it. */
export const load = (specifier) => import(specifier)
