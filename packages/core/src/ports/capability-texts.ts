/**
 * Texts that an application can give in `messages.<language>.capabilities`, by the id of the capability. A package declares its
 * own:
 *
 * @example
 *   export interface TermsTexts {
 *     readonly title: string
 *   }
 *
 *   declare module '@latchkey/core/capability/pages' {
 *     interface CapabilityTexts {
 *       readonly terms?: Partial<TermsTexts>
 *     }
 *   }
 */
// oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-empty-interface -- packages add its members
export interface CapabilityTexts {}

/** Returns the texts of a capability in a language. The English ones replace those that the application leaves out. */
export function getTexts<Texts extends object>(
  messages: { readonly capabilities?: CapabilityTexts },
  id: keyof CapabilityTexts,
  english: Texts,
): Texts {
  return { ...english, ...(messages.capabilities?.[id] as Partial<Texts> | undefined) }
}
