import { getTexts as getCapabilityTexts } from '@latchkey/core/capability/pages'
import type { Context } from '@latchkey/core/capability'

/** What the scopes `profile`, `email` and `offline_access` let a client do. */
export interface OpenIdTexts {
  readonly scopeProfile: string
  readonly scopeEmail: string
  readonly scopeOffline: string
}

/** The texts of the pages on which the code of a device is entered and approved. `{name}` is filled in. */
export interface DeviceTexts {
  readonly deviceHeading: string
  readonly deviceText: string
  readonly deviceCode: string
  readonly deviceWrong: string
  readonly deviceWarning: string
  /** `{name}` is a duration, such as `2 minutes`. */
  readonly deviceAge: string
  /** `{name}` is an IP address, or `deviceUnknown`. */
  readonly deviceAddress: string
  /** `{name}` is a browser family, or `deviceUnknown`. */
  readonly deviceBrowser: string
  readonly deviceUnknown: string
  readonly deviceAllowed: string
  readonly deviceDenied: string
  readonly deviceClose: string
}

/** The texts of the pages. `{name}` is filled in. */
export interface AuthorizationServerTexts {
  /** `{name}` is the name of the application. */
  readonly heading: string
  /** `{name}` is the host to which the user is sent back. */
  readonly continuesAt: string
  readonly onThisDevice: string
  readonly scopes: string
  readonly allow: string
  readonly deny: string
  readonly invalid: string
  readonly unknownClient: string
  readonly wrongRedirect: string
  readonly ended: string
  readonly leaving: string
  /** `{name}` is the host of the link. */
  readonly continueAt: string
  /** The heading of the section on the account page. */
  readonly applications: string
  readonly applicationsText: string
  readonly removeApplication: string
}

declare module '@latchkey/core/capability/pages' {
  interface CapabilityTexts {
    readonly authorizationServer?: Partial<AuthorizationServerTexts & DeviceTexts & OpenIdTexts>
  }
}

/** The texts of the pages in one language: an element of `messages.<language>`. */
export interface AuthorizationServerTranslation {
  readonly capabilities: {
    readonly authorizationServer: AuthorizationServerTexts & DeviceTexts & OpenIdTexts
  }
}

/** The English texts. */
export const englishServer: AuthorizationServerTexts = {
  heading: '{name} asks for access to your account',
  continuesAt: 'After that you continue at {name}.',
  onThisDevice:
    'This application runs on your own device. Continue only if you have just started it yourself.',
  scopes: 'It will be able to:',
  allow: 'Allow',
  deny: 'Not now',
  invalid: 'This request is not valid',
  unknownClient: 'The application is not known here. Ask its provider.',
  wrongRedirect: 'The application names a URL to continue at that is not registered for it.',
  ended: 'This request has ended. Begin again in the application.',
  leaving: 'You can continue',
  continueAt: 'Continue at {name}',
  applications: 'Applications',
  applicationsText: 'These act for you. Remove what you do not recognise.',
  removeApplication: 'Remove access',
}

/** Returns the texts in the language of a request. */
export function getTexts({ language }: Pick<Context, 'language'>): AuthorizationServerTexts {
  return getCapabilityTexts(language.messages, 'authorizationServer', englishServer)
}
