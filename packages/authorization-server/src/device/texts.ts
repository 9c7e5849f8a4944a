import { getTexts } from '@latchkey/core/capability/pages'
import type { Context } from '@latchkey/core/capability'
import { englishServer } from '../texts.ts'
import type { AuthorizationServerTexts, DeviceTexts } from '../texts.ts'

/** The English texts. */
export const englishDevice: DeviceTexts = {
  deviceHeading: 'Connect a device',
  deviceText: 'Enter the code that the device shows.',
  deviceCode: 'Code on the device',
  deviceWrong: 'This code is wrong or has ended. Look at the device again.',
  deviceWarning: 'Continue only if you began this on a device in front of you.',
  deviceAge: 'Time since it was asked for: {name}',
  deviceAddress: 'IP address: {name}',
  deviceBrowser: 'Browser or program: {name}',
  deviceUnknown: 'unknown',
  deviceAllowed: 'The device is connected',
  deviceDenied: 'The device gets no access',
  deviceClose: 'You can close this page.',
}

const english = { ...englishServer, ...englishDevice }

/** Returns the texts in the language of a request. */
export function getDeviceTexts({
  language,
}: Pick<Context, 'language'>): AuthorizationServerTexts & DeviceTexts {
  return getTexts(language.messages, 'authorizationServer', english)
}
