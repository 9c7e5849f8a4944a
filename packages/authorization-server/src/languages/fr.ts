import type { AuthorizationServerTranslation } from '../texts.ts'

/** French. */
export const fr: AuthorizationServerTranslation = {
  capabilities: {
    authorizationServer: {
      heading: '{name} demande l’accès à votre compte',
      continuesAt: 'Vous continuerez ensuite sur {name}.',
      onThisDevice:
        'Cette application s’exécute sur votre propre appareil. Ne continuez que si vous venez de la lancer vous-même.',
      scopes: 'Elle pourra :',
      allow: 'Autoriser',
      deny: 'Pas maintenant',
      scopeProfile: 'Connaître votre nom et votre photo',
      scopeEmail: 'Connaître votre adresse e-mail',
      scopeOffline: 'Conserver cet accès en votre absence',
      invalid: 'Cette demande n’est pas valide',
      unknownClient: 'L’application n’est pas connue ici. Adressez-vous à son fournisseur.',
      wrongRedirect: 'L’application indique une URL de retour qui n’est pas enregistrée pour elle.',
      ended: 'Cette demande est terminée. Recommencez dans l’application.',
      leaving: 'Vous pouvez continuer',
      continueAt: 'Continuer sur {name}',
      applications: 'Applications autorisées',
      applicationsText:
        'Ces applications agissent en votre nom. Retirez celles que vous ne reconnaissez pas.',
      removeApplication: 'Retirer l’accès',
      deviceHeading: 'Connecter un appareil',
      deviceText: 'Saisissez le code affiché par l’appareil.',
      deviceCode: 'Code de l’appareil',
      deviceWrong: 'Ce code est incorrect ou a expiré. Regardez à nouveau l’appareil.',
      deviceWarning:
        'Continuez uniquement si vous avez commencé ceci sur un appareil qui se trouve devant vous.',
      deviceAge: 'Temps écoulé depuis la demande : {name}',
      deviceAddress: 'Adresse IP : {name}',
      deviceBrowser: 'Navigateur ou programme : {name}',
      deviceUnknown: 'inconnu',
      deviceAllowed: 'L’appareil est connecté',
      deviceDenied: 'L’appareil n’obtient aucun accès',
      deviceClose: 'Vous pouvez fermer cette page.',
    },
  },
}
