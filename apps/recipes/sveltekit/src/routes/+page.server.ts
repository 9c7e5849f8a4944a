import type { ServerLoadEvent } from '@sveltejs/kit'

export const load = ({ locals }: ServerLoadEvent) => ({ name: locals.session?.user.name })
