/**
 * Returns a function that compiles a regular expression at its first call. The tables of Unicode classes
 * such as `\p{L}` are loaded when a literal is parsed, which a cold isolate would wait for.
 */
export function lazyPattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined
  return () => (pattern ??= new RegExp(source, flags))
}
