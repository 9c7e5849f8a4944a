import { github } from '@latchkey/core/providers/github'
import { google } from '@latchkey/core/providers/google'
import { oidc } from '@latchkey/core/providers/oidc'
import { defineProvider, oidcVariables, toOidcOptions } from '@latchkey/environment'
import type { ProviderRow } from '@latchkey/environment'

/** The identity providers that are bundled, in the order of the sign-in page. */
export const providers: readonly ProviderRow[] = [
  defineProvider('github', github),
  defineProvider('google', google),
  defineProvider('oidc', (values) => oidc(toOidcOptions(values)), oidcVariables),
]
