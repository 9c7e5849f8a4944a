import type { SecondFactorTranslation } from '../texts.ts'

/** French. */
export const fr: SecondFactorTranslation = {
  capabilities: {
    secondFactor: {
      totp: 'Application d’authentification',
      recovery: 'Codes de secours',
      heading: 'Seconde étape',
      text: 'Prouvez avec un second facteur que c’est bien vous.',
      code: 'Code de votre application d’authentification',
      recoveryCode: 'Code de secours',
      useApp: 'Utiliser l’application d’authentification',
      useRecoveryCode: 'Utiliser un code de secours',
      enrol: 'Configurer une application d’authentification',
      enrolText:
        'Scannez l’image avec votre application d’authentification ou saisissez-y la clé. Saisissez ensuite ici le code que l’application affiche.',
      required: 'Un second facteur est requis ici.',
      choose: 'Choisissez un second facteur. Il vous sera ensuite demandé à la connexion.',
      picture: 'Code QR pour votre application d’authentification',
      openApp: 'Ouvrir dans une application de cet appareil',
      key: 'Clé',
      codes: 'Vos codes de secours',
      codesText:
        'Conservez ces codes en lieu sûr. Chacun remplace une fois votre second facteur. Ils ne seront plus affichés.',
      download: 'Télécharger en texte',
      saved: 'J’ai enregistré ces codes',
      remember: 'Ne pas demander dans ce navigateur pendant {name}',
      tooMany: 'Vous en avez déjà 20. Retirez-en un d’abord.',
      changed: 'Ceci a été modifié ailleurs. Réessayez.',
      accountText:
        'Avec une seconde étape, votre e-mail ou votre mot de passe ne suffit plus pour vous connecter.',
      newCodes: 'Créer de nouveaux codes de secours',
      removeText: 'Si vous le retirez, il ne vous sera plus demandé à la connexion.',
    },
  },
}
