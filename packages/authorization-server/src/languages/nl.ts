import type { AuthorizationServerTranslation } from '../texts.ts'

/** Dutch. */
export const nl: AuthorizationServerTranslation = {
  capabilities: {
    authorizationServer: {
      heading: '{name} vraagt toegang tot uw account',
      continuesAt: 'Daarna gaat u verder bij {name}.',
      onThisDevice:
        'Deze toepassing draait op uw eigen apparaat. Ga alleen verder als u haar zojuist zelf hebt gestart.',
      scopes: 'De toepassing kan dan:',
      allow: 'Toestaan',
      deny: 'Niet nu',
      scopeProfile: 'Uw naam en uw foto zien',
      scopeEmail: 'Uw e-mailadres zien',
      scopeOffline: 'Deze toegang behouden terwijl u er niet bent',
      invalid: 'Dit verzoek is ongeldig',
      unknownClient: 'De toepassing is hier niet bekend. Vraag het haar aanbieder.',
      wrongRedirect:
        'De toepassing noemt een URL om naar terug te keren die niet voor haar is geregistreerd.',
      ended: 'Dit verzoek is beëindigd. Begin opnieuw in de toepassing.',
      leaving: 'U kunt verdergaan',
      continueAt: 'Verder bij {name}',
      applications: 'Toepassingen',
      applicationsText: 'Deze toepassingen handelen namens u. Verwijder wat u niet herkent.',
      removeApplication: 'Toegang intrekken',
      deviceHeading: 'Apparaat verbinden',
      deviceText: 'Voer de code in die op het apparaat staat.',
      deviceCode: 'Code op het apparaat',
      deviceWrong: 'Deze code is onjuist of verlopen. Kijk nog eens op het apparaat.',
      deviceWarning: 'Ga alleen verder als u dit bent begonnen op een apparaat dat voor u staat.',
      deviceAge: 'Tijd sinds de aanvraag: {name}',
      deviceAddress: 'IP-adres: {name}',
      deviceBrowser: 'Browser of programma: {name}',
      deviceUnknown: 'onbekend',
      deviceAllowed: 'Het apparaat is verbonden',
      deviceDenied: 'Het apparaat krijgt geen toegang',
      deviceClose: 'U kunt deze pagina sluiten.',
    },
  },
}
