import type { Service } from '../kernel/context.ts'
import type { Messages } from '../ports/messages.ts'

/** Returns what a factor without a name is called. */
export function toTypeName({ capabilities }: Service, messages: Messages, type: string): string {
  const names = capabilities.list.map(({ typeNames }) => typeNames?.(messages)[type])
  return names.find(Boolean) ?? type
}
